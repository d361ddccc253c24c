import { PegboardError, type Secrets } from 'pegboard';

import { isObject, isText, own, type JsonObject } from './json.ts';
import type { PackedContents } from './read-folder.ts';

/** What a plugin asks a person for: values for its texts, all values for its processes, and what is missing or does not fit. */
export interface PackedOptions {
  /** By `user_config.NAME`; nothing secret. */
  readonly texts: Readonly<Record<string, string>>;
  /** By variable of a process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly missing: readonly PegboardError[];
}

/** Whether a value of this option is kept as a secret. */
export function isSecret(contents: Pick<PackedContents, 'userConfig'>, option: string): boolean {
  return own(own(contents.userConfig, option), 'sensitive') === true;
}

/** Why a value does not fit what an option asks for. */
export function optionComplaint(contents: Pick<PackedContents, 'userConfig'>, option: string, value: unknown): string | undefined {
  const asked = own(contents.userConfig, option);
  if (!isObject(asked)) return `there is no option "${option}"; there are: ${Object.keys(contents.userConfig).join(', ') || 'none'}`;
  if (Array.isArray(value)) return asked['multiple'] === true ? undefined : 'it takes one value';
  const { type, min, max } = asked;
  if (type === 'boolean') return /^(true|false)$/.test(String(value)) ? undefined : 'it is true or false';
  if (type !== 'number') return isText(value) ? undefined : 'it is a text';
  const number = typeof value === 'number' ? value : isText(value) && value.trim() !== '' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return 'it is a number';
  if (typeof min === 'number' && number < min) return `it is at least ${min}`;
  return typeof max === 'number' && number > max ? `it is at most ${max}` : undefined;
}

/** Puts together what a person has set, what is kept as a secret, and what the plugin gives by itself. */
export async function optionsOf(contents: PackedContents, given: JsonObject, secrets: Secrets): Promise<PackedOptions> {
  const texts: Record<string, string> = {};
  const environment: Record<string, string> = {};
  const missing: PegboardError[] = [];
  for (const [option, asked] of Object.entries(contents.userConfig)) {
    const secret = isSecret(contents, option);
    const value = (secret ? await secrets.get(option) : own(given, option)) ?? own(asked, 'default');
    const cause =
      value === undefined ? (own(asked, 'required') === true ? 'it has none' : undefined) : optionComplaint(contents, option, value);
    if (cause !== undefined)
      missing.push(new PegboardError('PACKED_OPTION', { plugin: contents.id, option, title: String(own(asked, 'title')), cause }));
    if (value === undefined || cause !== undefined) continue;
    const text = Array.isArray(value) ? value.map(String).join(',') : String(value);
    environment[`CLAUDE_PLUGIN_OPTION_${option}`] = text;
    if (!secret) texts[`user_config.${option}`] = text;
  }
  return { texts, environment, missing };
}
