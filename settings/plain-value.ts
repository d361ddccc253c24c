import { MODES } from 'pegboard';

import { keyOf, type Entry } from './entry.ts';
import { isObject } from './object.ts';

type Check = (value: unknown, names: readonly string[]) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
const isSwitch: Check = (value) => typeof value === 'boolean';
const fits =
  (pattern: RegExp, check: Check): Check =>
  (value, names) =>
    pattern.test(names[0] ?? '') && check(value, names);

/** What usually stands under a key; `*` is any name. */
const PLAIN: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['permissions.allow', isTexts],
  ['permissions.ask', isTexts],
  ['permissions.deny', isTexts],
  ['permissions.additionalDirectories', isTexts],
  ['permissions.defaultMode', (value) => MODES.some((mode) => mode === value)],
  ['mcpServers.*', isObject],
  ['features.*', fits(/^[A-Za-z][\w.-]*$/, isSwitch)],
  ['env.*', fits(/^[A-Za-z_]\w*$/, isText)],
  ['deferral.mode', (value) => value === 'always' || value === 'never'],
  ['deferral.sources.*', (value) => value === 'always' || value === 'never'],
  ['deferral.tools.*', (value) => value === 'always' || value === 'never'],
  ['pluginOptions.*.*', () => true],
  ['plugins', isTexts],
  ['compat.claude', isSwitch],
  ['sandbox.enabled', isSwitch],
  ['sandbox.failIfUnavailable', isSwitch],
  ['sandbox.autoAllowBashIfSandboxed', isSwitch],
  ['sandbox.allowUnsandboxedCommands', isSwitch],
]);

/** Spares loading the schema, which costs as much as starting Node does, where a look shows that a value fits it. False says nothing. */
export function isPlain({ key, path, value }: Pick<Entry, 'key' | 'path' | 'value'>): boolean {
  const [area = '', ...names] = path;
  const parents = [area, ...names.slice(0, -1)];
  const patterns = [key, keyOf([...parents, '*']), keyOf([area, ...names.map(() => '*')])];
  const plain = patterns.map((pattern) => PLAIN.get(pattern)).find((check) => check !== undefined);
  return plain?.(value, names) === true;
}
