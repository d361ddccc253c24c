import { isObject, type JsonObject } from './object.ts';
import type { OtherHost } from './other-hosts.data.ts';

/** What becomes of a member of a foreign definition: a member of ours, or a sentence about what was lost. */
export type Carried =
  { readonly kind: 'member'; readonly name: string; readonly value: unknown } | { readonly kind: 'note'; readonly why: string };

/** A rule says of one member what becomes of it; `name` is the member's own. */
type Rule = (value: unknown, name: string) => readonly Carried[];
type Rules = Readonly<Record<string, Rule>>;

/** What is carried over of a member of a definition; of one nobody knows, that it is not known. */
export function carriedMember(host: OtherHost, name: string, value: unknown): readonly Carried[] {
  if (value === null || value === undefined) return [];
  const rule = Object.hasOwn(RULES[host], name) ? RULES[host][name] : undefined;
  return rule === undefined ? [note(`\`${name}\` is not carried over: it is not known here`)] : rule(value, name);
}

const member = (name: string, value: unknown): Carried => ({ kind: 'member', name, value });
const note = (why: string): Carried => ({ kind: 'note', why });

const same: Rule = (value, name) => [member(name, value)];
const as =
  (name: string): Rule =>
  (value) => [member(name, value)];
/** Says nothing of what the host needs. */
const nothing: Rule = () => [];
const lost =
  (why: string): Rule =>
  (_value, name) => [note(`\`${name}\` is not carried over: ${why}`)];
const seconds =
  (name: string): Rule =>
  (value, from) =>
    typeof value === 'number' && value > 0 ? [member(name, Math.round(value * 1_000))] : lost('it is no number of seconds')(value, from);
const disabledIf =
  (off: boolean): Rule =>
  (value) =>
    value === off ? [member('disabled', true)] : [];

const someTools: Rule = (value, name) => [
  note(
    `\`${name}\` (${listed(value)}) is not carried over: here all tools are there; \`pegboard permissions add deny\` takes them away one by one`,
  ),
];
const withoutTools: Rule = (value, name) => [
  note(`\`${name}\` (${listed(value)}) is not carried over: \`pegboard permissions add deny mcp__SERVER__TOOL\` does that`),
];
const trusting = lost('here rules say what may be called without a question; `pegboard permissions add allow mcp__SERVER` does that');
const envFile = lost('no files of variables are read; put what the server needs into `env`, as `${NAME}` where it is in your environment');

/** A variable that is set to nothing there is not set. */
const variables: Rule = (value, name) => (isObject(value) ? [member(name, withoutNulls(value))] : same(value, name));

const isVariable = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value);

/** Texts by name, each taken from the variable that stands for it. */
const fromVariables =
  (name: string): Rule =>
  (value, from) =>
    isObject(value) && Object.values(value).every(isVariable)
      ? [member(name, Object.fromEntries(Object.entries(value).map(([key, variable]) => [key, `\${${String(variable)}}`])))]
      : lost('it is no map to names of variables')(value, from);

/** Variables that are handed on where they are set. */
const handedOn: Rule = (value, from) => {
  if (!Array.isArray(value)) return lost('it is no list')(value, from);
  const names = value.map((each: unknown) => (isObject(each) ? each['name'] : each)).filter(isVariable);
  return [member('env', Object.fromEntries(names.map((each) => [each, `\${${each}:-}`])))];
};

const signIn =
  (names: Readonly<Record<string, string>>): Rule =>
  (value, from) => {
    if (!isObject(value)) return lost('it is no object')(value, from);
    const known = Object.entries(value).flatMap(([key, each]) => {
      const to = Object.hasOwn(names, key) ? names[key] : undefined;
      return to === undefined || each === null ? [] : [[to, each] as const];
    });
    const others = Object.keys(value).filter((key) => !Object.hasOwn(names, key));
    return [
      ...(known.length > 0 ? [member('oauth', Object.fromEntries(known))] : []),
      ...(others.length > 0
        ? [note(`of \`${from}\` is not carried over: ${others.join(', ')}; servers say themselves where to sign in`)]
        : []),
    ];
  };

/** Tools that are called without a question there. */
const allowedTools: Rule = (value, name) => (Array.isArray(value) && value.length === 0 ? [] : trusting(value, name));

/** What any of these files may hold: people copy definitions from one program to another, and mean what they have written. */
const EVERYWHERE: Rules = {
  type: same,
  transport: as('type'),
  command: same,
  args: same,
  env: variables,
  cwd: same,
  url: same,
  serverUrl: as('url'),
  httpUrl: (value) => [member('url', value), member('type', 'http')],
  headers: same,
  disabled: disabledIf(true),
  enabled: disabledIf(false),
  autoApprove: allowedTools,
  alwaysAllow: allowedTools,
};

const RULES: Readonly<Record<OtherHost, Rules>> = {
  'claude-desktop': EVERYWHERE,
  'claude-code': {
    ...EVERYWHERE,
    headersHelper: same,
    timeout: same,
    request_timeout_ms: as('timeout'),
    oauth: signIn({ clientId: 'clientId', callbackPort: 'callbackPort', scopes: 'scopes' }),
    alwaysLoad: (value) =>
      value === true
        ? [note('`alwaysLoad` is not carried over: the setting `deferral.sources` does that, with "never" for mcp__SERVER')]
        : [],
  },
  cursor: {
    ...EVERYWHERE,
    envFile,
    auth: signIn({ CLIENT_ID: 'clientId', CLIENT_SECRET: 'clientSecret', scopes: 'scopes' }),
  },
  vscode: {
    ...EVERYWHERE,
    envFile,
    dev: lost('it is for developing the server'),
    sandbox: lost('servers run without a sandbox here'),
    sandboxEnabled: (value, name) => (value === true ? lost('servers run without a sandbox here')(value, name) : []),
    gallery: nothing,
    version: nothing,
  },
  codex: {
    ...EVERYWHERE,
    env_vars: handedOn,
    bearer_token_env_var: (value, name) =>
      isVariable(value) ? [member('headers', { Authorization: `Bearer \${${value}}` })] : lost('it names no variable')(value, name),
    bearer_token: lost('Codex takes none from its file; name a variable in `headers`: Authorization: Bearer ${NAME}'),
    http_headers: as('headers'),
    env_http_headers: fromVariables('headers'),
    required: (value, name) => (value === true ? lost('a server that fails stops nothing here')(value, name) : []),
    enabled_tools: someTools,
    disabled_tools: withoutTools,
    startup_timeout_sec: seconds('connectTimeout'),
    startup_timeout_ms: as('connectTimeout'),
    tool_timeout_sec: seconds('timeout'),
    scopes: (value) => [member('oauth', { scopes: value })],
    oauth: signIn({ client_id: 'clientId' }),
    oauth_resource: lost('what a token is for follows from the address'),
    default_tools_approval_mode: trusting,
    tools: trusting,
    supports_parallel_tool_calls: nothing,
  },
  gemini: {
    ...EVERYWHERE,
    timeout: same,
    trust: (value, name) => (value === true ? trusting(value, name) : []),
    includeTools: someTools,
    excludeTools: withoutTools,
    description: nothing,
    oauth: (value, name) =>
      isObject(value) ? signIn({ clientId: 'clientId', clientSecret: 'clientSecret', scopes: 'scopes' })(withoutSwitch(value), name) : [],
    authProviderType: lost('Google sign-ins are not made here; give it `headers`, or a `headersHelper` that prints them'),
    tcp: lost('nothing is reached over a WebSocket here'),
  },
};

function withoutSwitch({ enabled: _enabled, ...rest }: JsonObject): JsonObject {
  return rest;
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : typeof value;
}
