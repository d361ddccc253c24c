import type { SkillFields } from './skill.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What counts of a skill's or a command's fields; a value of the wrong kind is as if it were not there. Never throws. */
export function readFields(given: Fields): SkillFields {
  const get = (name: string) => given[name] ?? given[name.replaceAll('-', '_')] ?? given[camel(name)];
  return {
    name: textOf(get('name')),
    hint: hintOf(get('argument-hint')),
    arguments: words(get('arguments')),
    allowed: words(get('allowed-tools')),
    disallowed: words(get('disallowed-tools')),
    forModel: !isYes(get('disable-model-invocation')),
    forPerson: !isNo(get('user-invocable')),
    fork: get('context') === 'fork' ? (textOf(get('agent')) ?? 'general-purpose') : undefined,
    shell: get('shell') === 'powershell' ? 'PowerShell' : 'Bash',
    servers: mapOf(get('mcpServers')) ?? mapOf(get('mcp')) ?? {},
    hooks: mapOf(get('hooks')),
  };
}

/** What it is for, in its own words: with when to use it, if it says so. */
export function describedBy(given: Fields): string | undefined {
  const parts = [textOf(given['description']), textOf(given['when_to_use'] ?? given['when-to-use'])];
  const text = parts.filter((part) => part !== undefined).join(' - ');
  return text.trim() === '' ? undefined : text.trim();
}

/** Words apart by blanks and commas; what stands in brackets is one. */
function words(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.trim()] : []));
  return typeof value === 'string' ? (value.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? []) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** `[file]` is a list to YAML, and words to people. */
function hintOf(value: unknown): string | undefined {
  return Array.isArray(value) ? `[${value.map(String).join(', ')}]` : textOf(value);
}

function mapOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function isYes(value: unknown): boolean {
  return /^(true|yes|on|1)$/i.test(textOf(value) ?? '');
}

function isNo(value: unknown): boolean {
  return /^(false|no|off|0)$/i.test(textOf(value) ?? '');
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
