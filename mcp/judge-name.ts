import type { Judgement } from 'pegboard/kit';

import { isReservedServer, nameServers, namespaceOf } from './names.ts';

/** A name that a server wants for a tool. */
export interface WishedName {
  /** As its configuration names it. */
  readonly server: string;
  /** What the server calls the tool. */
  readonly advertisedName: string;
  /** What would stand before it; the server's own namespace unless given. */
  readonly exposedPrefix?: string | undefined;
}

/** The protocol allows no more. */
const LONGEST = 128;

/** Why a tool or a server cannot go by a name. */
export function nameComplaint(name: string): string | undefined {
  if (/[\p{C}\p{DI}\p{Zl}\p{Zp}]/u.test(name)) return 'its name has invisible characters';
  return name.length > LONGEST ? `its name is longer than ${LONGEST} characters` : undefined;
}

/** May a server's tool have this name? Only one in the server's own namespace: no built-in's, no other server's (permissions.md, statement 16). */
export function judgeName({ server, advertisedName, exposedPrefix }: WishedName): Judgement {
  const deny = (why: string): Judgement => ({ kind: 'deny', why });
  const complaint = nameComplaint(server) ?? nameComplaint(advertisedName);
  if (complaint !== undefined) return deny(complaint);
  if (server === '' || advertisedName === '') return deny('it has no name');
  if (isReservedServer(server)) return deny(`${server} stands for the host itself`);
  const own = namespaceOf(nameServers([server]).get(server) ?? server);
  return (exposedPrefix ?? own) === own
    ? { kind: 'allow', why: `it is in ${own}, which is the server's own` }
    : deny(`it would not be in ${own}, where the server's tools are`);
}
