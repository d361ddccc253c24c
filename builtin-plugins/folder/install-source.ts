import { isIP } from 'node:net';

import type { Judgement } from 'pegboard/kit';

/** Names as registries, forges and marketplaces have them, with a version or a branch: `pack`, `@scope/pack@1.2.0`, `owner/repo#main`. */
const PLAIN_NAME = /^@?\w[\w.-]*(\/\w[\w.-]*){0,4}(@[\w.^~-]+)?(#[\w./-]+)?$/;
/** `git@host:owner/repo`. */
const SCP = /^\w[\w.-]*@\w[\w.-]*:[\w~/][\w./~-]*$/;
const FOLDER = /^(\.|~)?\/|^\.$|^[A-Za-z]:[\\/]/;
/** What no address needs, and what a shell or a program behind it would obey. */
const OBEYED = /[\s"'`<>|;{}^*!()$]|[\p{C}\p{DI}\p{Z}]|^[^?]*&/u;

/** `name@^1.2.0`: of all that is obeyed somewhere only this sign belongs to versions, and what it could become is a version as well. */
const RANGE = /(?<=\w)@\^(?=\d)/;

/** May something be installed from here? (permissions.md, statement 59) */
export function judgeInstallSource(source: string): Judgement {
  const deny = (why: string): Judgement => ({ kind: 'deny', why });
  if (source === '') return deny('it names nothing');
  if (source.startsWith('-')) return deny('it would be taken for an option');
  if (OBEYED.test(source.replace(RANGE, '@'))) return deny('it has characters that a shell or a program obeys');
  if (/^[\w+.-]*::/.test(source)) return deny('it names a helper program, which would be run');
  if (/(^|[\\/:])\.\.([\\/]|$)/.test(source)) return deny('it leads up');
  if (/^[\w+.-]+:\/\//.test(source)) return judgeAddress(source);
  if (FOLDER.test(source)) return { kind: 'ask', why: 'it is a folder of this machine' };
  if (source.includes('\\')) return deny('it has a backslash in it');
  return PLAIN_NAME.test(source) || SCP.test(source) ? { kind: 'allow', why: 'it is a plain name' } : deny('it cannot be read');
}

const SCHEMES: ReadonlyMap<string, Judgement> = new Map<string, Judgement>([
  ['https', { kind: 'allow', why: 'it comes over https' }],
  ['git+https', { kind: 'allow', why: 'it comes over https' }],
  ['ssh', { kind: 'allow', why: 'it comes over ssh' }],
  ['git+ssh', { kind: 'allow', why: 'it comes over ssh' }],
  ['http', { kind: 'ask', why: 'over http anybody between could change it' }],
  ['git', { kind: 'ask', why: 'over git anybody between could change it' }],
  ['file', { kind: 'ask', why: 'it is a folder of this machine' }],
]);

function judgeAddress(source: string): Judgement {
  const deny = (why: string): Judgement => ({ kind: 'deny', why });
  const [, scheme = '', rest = ''] = /^([^:]+):\/\/(.*)$/.exec(source) ?? [];
  const known = SCHEMES.get(scheme.toLowerCase());
  if (known === undefined) return deny(`nothing is installed over ${scheme}`);
  if (scheme.toLowerCase() === 'file') return known;
  const readable = `https://${rest}`;
  if (source.includes('\\') || !URL.canParse(readable)) return deny('its address cannot be read');
  const { hostname, username, password } = new URL(readable);
  if (hostname.startsWith('-') || username.startsWith('-')) return deny('its host would be taken for an option');
  if (password !== '' || (username !== '' && !scheme.toLowerCase().endsWith('ssh'))) return deny('it has a name or a password in it');
  const inner = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /(^|\.)localhost\.?$/.test(hostname);
  return inner && known.kind === 'allow' ? { kind: 'ask', why: `${hostname} is a number or this machine` } : known;
}
