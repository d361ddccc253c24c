import { BlockList, isIP } from 'node:net';

/** From how far an address can be reached. */
export type Reach = 'loopback' | 'private' | 'special' | 'public';

const RANGES: readonly { readonly reach: Reach; readonly list: BlockList }[] = [
  { reach: 'loopback', list: blockList(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']) },
  { reach: 'private', list: blockList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']) },
  // Where clouds keep what their machines may know of themselves, and what is no single machine.
  {
    reach: 'special',
    list: blockList(['169.254.0.0/16', '192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/3', 'fe80::/10', 'fec0::/10', 'ff00::/8']),
  },
];

/** The reach of an IP address. One of the older kind inside a newer one counts as what it is. */
export function reachOf(address: string): Reach {
  const plain = address.replace(/^\[|\]$/g, '');
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  return RANGES.find(({ list }) => list.check(plain, family))?.reach ?? 'public';
}

/** Whether who was named by somebody of reach `from` may be asked: nobody leads nearer to this machine than they are themselves. */
export function mayLeadTo(from: Reach, to: Reach): boolean {
  if (to === 'public' || from === 'loopback') return to !== 'special';
  return from === 'private' && to === 'private';
}

/** Whether a host is this machine by its name alone. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || (isIP(name) !== 0 && reachOf(name) === 'loopback');
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
