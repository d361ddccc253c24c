import { packedErrors } from './packed-errors.data.ts';
import { pluginErrors } from './plugin-errors.data.ts';
import { runErrors } from './run-errors.data.ts';

/** Whose mistake an error is. A command line turns it into an exit code; core only says which it is. */
export type Blame = 'usage' | 'config' | 'run' | 'refused';

export interface ErrorEntry {
  readonly blame: Blame;
  /** What is wrong and where, then what to do. `{name}` stands for a value given by whoever throws. */
  readonly text: string;
}

/** Every code and its sentence: the only place with wording. `docs/errors.md` is generated from it. */
export const errorTable = {
  ...pluginErrors,
  ...runErrors,
  ...packedErrors,
  SETTING_INVALID: { blame: 'config', text: 'The setting "{key}" does not fit: {issues}. Correct it in the settings.' },
  SETTINGS_READ: {
    blame: 'config',
    text: 'The settings in {file} could not be read: {cause}. Mend or remove that file; all others count.',
  },
  SETTINGS_SYNTAX: {
    blame: 'config',
    text: '{file}:{line}:{column}: {cause}. Mend it there; until then this file grants nothing, and all others count.',
  },
  SETTINGS_KEPT: { blame: 'config', text: '{place}: {cause}. Mend it there; until then what that file last said counts.' },
  SETTINGS_VALUE: {
    blame: 'config',
    text: '{place}: "{key}" does not fit: {issue}. Correct it there; until then this value does not count.',
  },
  SETTINGS_KEY: { blame: 'config', text: '{place}: there is no setting "{key}"{near}. It does nothing there.' },
  SETTINGS_RULE: { blame: 'config', text: '{place}: the {list} rule "{rule}" is not usable: {cause}. {effect}' },
  SETTINGS_RULE_NAME: {
    blame: 'config',
    text: '{place}: the {list} rule "{rule}" names no tool; there is "{near}", and case counts. {effect} Write {near} there.',
  },
  SETTINGS_MODE: {
    blame: 'config',
    text: '{place}: the mode {mode} may not be chosen: {cause}. The next lower layer decides, or the mode is "default".',
  },
  SETTINGS_OWNER: {
    blame: 'config',
    text: 'The policy file {file} does not count: {cause}. Give it and its folder to the administrator and let nobody else write there.',
  },
  SETTINGS_SCRIPT: { blame: 'config', text: 'The settings script {file} could not be used: {cause}' },
  SETTINGS_WATCH: { blame: 'run', text: 'Changes of settings are no longer noticed: {cause}. Start anew after a change.' },
  SETTINGS_WRITE: { blame: 'config', text: '{file} was not written: {cause}' },
  SETTINGS_STATE: {
    blame: 'config',
    text: '{file} cannot be used: {cause}. Mend it or remove it; until then nothing it says counts, and it is not written over.',
  },
  TOOL_NAME: { blame: 'config', text: 'The tool name "{name}" is not usable. A name has 1 to 64 of A-Z, a-z, 0-9, "_" and "-".' },
  TOOL_SCHEMA: {
    blame: 'config',
    text: 'The input schema of tool "{tool}" is not usable: {cause}. It must describe an object at its root.',
  },
  TOOL_UNKNOWN: { blame: 'usage', text: 'There is no tool "{tool}"{near}. Search for one by what it does.' },
  TOOL_HIDDEN: { blame: 'refused', text: 'The tool "{tool}" cannot be used here: {why}.' },
  TOOL_GONE: { blame: 'run', text: 'The tool "{tool}" was there earlier and is gone: {why}. Do without it or find another one.' },
  TOOL_INPUT: { blame: 'usage', text: 'The input of {tool} does not fit: {issues}.' },
  TOOL_FAILED: { blame: 'run', text: '{tool} failed: {cause}' },
  TOOL_RESULT: {
    blame: 'run',
    text: '{tool} returned {given}, which is no result. Its author should return a text, or an object with a list of content blocks.',
  },
  SESSION_IN_USE: {
    blame: 'run',
    text: 'The session {session} is being written by another process. End that one, or go on with a copy: `pegboard sessions fork {session}`.',
  },
  SESSION_UNKNOWN: { blame: 'usage', text: 'There is no one session "{session}". {hint}' },
  TOOL_NESTED: { blame: 'usage', text: '{tool} cannot call itself. Give the name of the tool that is to be called.' },
  CALL_REFUSED: { blame: 'refused', text: '{tool} was refused: {why}' },
  RULE_SYNTAX: {
    blame: 'usage',
    text: 'The rule "{rule}" is not usable: {cause}. A rule here is a tool, a server or a part of one: Read, Read(./src/**), mcp__server, mcp__server__tool, path(~/.ssh/**), host(*.example.com).',
  },
  TASK_UNKNOWN: { blame: 'run', text: 'There is no background task "{task}". Running and ended tasks of this session: {known}.' },
  SEARCH_QUERY: {
    blame: 'usage',
    text: 'The search "{query}" is empty. Say in two to eight words what the tool should do, or write select:Name.',
  },
  SEARCH_HISTORY: { blame: 'config', text: 'What was learnt from searches could not be read: {cause}' },
  SEARCH_RERANK: {
    blame: 'config',
    text: 'The reranker "{name}" must give one number from 0 to 1 for each tool it was given; its answer did not count.',
  },
  SEARCH_RERANK_TIME: { blame: 'run', text: 'The reranker "{name}" gave no answer within {limit} ms; the plain ranking stands.' },
  SEARCH_TEST_FILE: { blame: 'usage', text: 'No search can be tested with {file}: {cause}. Give a file with one JSON object a line.' },
  SEARCH_TEST_ROWS: {
    blame: 'usage',
    text: 'The search test was not run:\n{rows}\nCorrect these lines; a figure without them would mislead.',
  },
  MCP_CONFIG_READ: { blame: 'config', text: 'The server file {file} could not be read: {cause}. Check the path given to --mcp-config.' },
  MCP_CONFIG_SYNTAX: {
    blame: 'config',
    text: '{file}:{line}:{column}: {cause}. Mend the JSON there; the servers of other files still work.',
  },
  MCP_CONFIG_SERVER: { blame: 'config', text: 'Server "{server}" in {file} cannot be used: {cause}.' },
  MCP_MEMBER: {
    blame: 'config',
    text: 'Server "{server}" in {file} has `{member}`, which says nothing here. Write `{meant}` if that was meant.',
  },
  MCP_CONNECT: { blame: 'run', text: 'Server "{server}" could not be started: {cause}' },
  MCP_VARIABLE: {
    blame: 'config',
    text: 'Server "{server}" in {file} was not started: no value is known for {names}. Set it in the environment, or give a default after ":-" in the placeholder.',
  },
  MCP_COMMAND: {
    blame: 'config',
    text: 'Server "{server}" could not be started: there is no command "{command}". Install it, or correct `command` in {file}.',
  },
  MCP_CWD: {
    blame: 'config',
    text: 'Server "{server}" could not be started: its folder {folder} does not exist. Create it, or correct `cwd` in {file}.',
  },
  MCP_EXIT: {
    blame: 'run',
    text: 'Server "{server}" ended before it was ready ({end}). {said} Mend that, or run its command by hand to see more; its log is {log}.',
  },
  MCP_SILENT: {
    blame: 'run',
    text: 'Server "{server}" did not answer {request} within {limit} ms. {said} Check that its command starts an MCP server, or raise `connectTimeout` (ms); its log is {log}.',
  },
  MCP_HTTP: {
    blame: 'run',
    text: 'Server "{server}" could not be used at {url}: {cause}. Check that it runs there, and `url` and `headers` in {file}.',
  },
  MCP_SIGN_IN: {
    blame: 'run',
    text: 'Server "{server}" at {url} asks for a sign-in (HTTP 401). Run `pegboard mcp login {name}` at a terminal; where nobody is, give its definition `headers`, a `headersHelper`, or an `oauth` with the grant "client_credentials".',
  },
  MCP_SCOPE: {
    blame: 'run',
    text: 'Server "{server}" at {url} asks for more rights than it was given (HTTP 403). Run `pegboard mcp login {name}`, which asks for them as well.',
  },
  MCP_PROOF: {
    blame: 'run',
    text: 'Server "{server}" at {url} refused {proof} (HTTP {status}). Correct that in its definition, or take it out and run `pegboard mcp login {name}`.',
  },
  MCP_LOGIN: { blame: 'run', text: 'Signing in to server "{server}" failed: {cause}.' },
  MCP_LOGIN_TERMINAL: {
    blame: 'refused',
    text: 'Signing in to server "{server}" needs a person, and there is no terminal. Run `pegboard mcp login {name}` at one; or run it with --no-browser, open the address it prints, and give it the address the browser came back to on its input.',
  },
  MCP_LOGIN_NONE: { blame: 'usage', text: 'Nobody can sign in to server "{server}": {why}.' },
  MCP_LIST: {
    blame: 'run',
    text: 'Server "{server}" did not list its tools: {cause}. {kept} Raise `connectTimeout` (ms) if it needs longer; its log is {log}.',
  },
  MCP_LOST: {
    blame: 'run',
    text: 'Server "{server}" ended while it was running ({end}). The next call starts it again; its log is {log}.',
  },
  MCP_PAUSED: {
    blame: 'run',
    text: '{cause} It failed {times} times in a row and is tried again in {wait} s.',
  },
  MCP_NEVER: {
    blame: 'run',
    text: 'Server "{server}" is never started, because its definition in {file} says `start: "never"`. Change that to "lazy" to use it.',
  },
  MCP_DOWN: { blame: 'run', text: 'Server "{server}" is not connected, so {tool} cannot be called: {cause}' },
  MCP_BROKEN: {
    blame: 'run',
    text: 'Server "{server}" broke off while it worked on {tool}: {cause}. Whether that was done is not known: look before calling it again.',
  },
  MCP_CALL: { blame: 'run', text: 'Server "{server}" answered {tool} with an error: {cause}' },
  MCP_PROMPT_WORDS: { blame: 'usage', text: 'The prompt /{command} was not asked for: {why}. Its form is {usage}.' },
  MCP_HIDDEN: { blame: 'refused', text: 'Server "{server}" is hidden by a rule. `pegboard permissions list` shows the rules.' },
  MCP_TIMEOUT: {
    blame: 'run',
    text: 'Server "{server}" did not answer {tool} within {limit} ms and was told to stop. Raise `timeout` (ms) for this server if it needs longer.',
  },
  LOCK_DRIFT: {
    blame: 'run',
    text: 'Server "{server}" is not as pegboard.lock has it:\n{diff}\nLook at what changed; `pegboard mcp lock` records it as it is now.',
  },
  MCP_POLICY: { blame: 'refused', text: 'Server "{server}" of {file} was not started: {why}.' },
  MCP_NO_SERVER: { blame: 'usage', text: 'There is no server "{server}". Known servers: {known}.' },
  CLI_USAGE: { blame: 'usage', text: '{cause}' },
  CLI_CWD: { blame: 'usage', text: 'The folder {folder} given with --cwd does not exist or is not a folder. Give an existing folder.' },
  CLI_INPUT: {
    blame: 'usage',
    text: 'The input given for {tool} could not be read: {cause}. Use --input \'{"key":"value"}\', --input @file.json, or key=value.',
  },
  CLI_MODEL: {
    blame: 'usage',
    text: '{cause} Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN; ANTHROPIC_BASE_URL names another endpoint that speaks the Messages API), or take `--model offline` (keyword search, no language model).',
  },
  CLI_KEY: { blame: 'usage', text: 'Nothing sets "{key}"{near}. `pegboard config show` shows every key that has a value.' },
  CLI_SERVER: { blame: 'usage', text: 'The server "{server}" cannot be added: {cause}' },
  IMPORT_NONE: {
    blame: 'usage',
    text: 'No servers of {host} were found. Looked in: {files}. Where they are elsewhere, name that file with --file.',
  },
  IMPORT_FILE: {
    blame: 'config',
    text: '{file} of {host} could not be read: {cause}. Mend it there, or name another file with --file.',
  },
  AUDIT_WRITE: {
    blame: 'run',
    text: 'What calls do cannot be written down in {folder}: {cause}. Calls go on without that; see that the folder can be written to and has room.',
  },
  TRUST_HOME: {
    blame: 'refused',
    text: '{folder} is or holds your home folder, and trust in that is never recorded. Work in a folder below it, or say yes when you are asked at a terminal: that holds until the command ends.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `"${string}` ? never : Name) | NamesIn<Rest>
  : never;

/** The values a code's sentence needs. */
export type ErrorValues<Code extends ErrorCode> = { readonly [Name in NamesIn<(typeof errorTable)[Code]['text']>]: string | number };

/** The sentence of a code with its values put in. */
export function errorSentence<Code extends ErrorCode>(code: Code, values: ErrorValues<Code>): string {
  const given = values as { readonly [name: string]: string | number };
  return errorTable[code].text.replace(/\{(\w+)\}/g, (whole, name: string) => String(given[name] ?? whole));
}

/** An error with a code, a sentence that says what, where and how to mend it, and the cause it came from. */
export class PegboardError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'PegboardError';
  readonly code: Code;
  readonly blame: Blame;
  constructor(code: Code, values: ErrorValues<Code>, options?: { readonly cause?: unknown }) {
    super(errorSentence(code, values), options);
    this.code = code;
    this.blame = errorTable[code].blame;
  }
}

/** What a thrown value says, in one line, whatever was thrown. */
export function causeText(cause: unknown): string {
  if (cause instanceof Error) return cause.message || cause.name;
  if (typeof cause === 'string') return cause;
  try {
    return JSON.stringify(cause) ?? String(cause);
  } catch {
    return 'an unknown value was thrown';
  }
}
