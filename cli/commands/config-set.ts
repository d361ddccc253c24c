import { PegboardError } from 'pegboard';
import { complaintAbout } from 'pegboard/mcp';
import {
  changeSettings,
  keyOf,
  pathOf,
  placeText,
  settingsFile,
  type Settings,
  type SettingChange,
  type WriteOutcome,
} from 'pegboard/settings';

import type { ConfigRequest, Scope, Setting } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { explainPath } from '../explain-key.ts';
import { readAgain, type Configuration } from '../read-configuration.ts';
import type { SettingsCommand } from '../run-command.ts';

type Path = readonly string[];
type Changes = readonly SettingChange[];

/** `config set`: writes one value, or takes one away, and says whether it counts. The text is taken as JSON where it is JSON and fits, else as it is. */
export function configSet({ key, scope, ...setting }: ConfigRequest & { readonly kind: 'config set' }): SettingsCommand {
  const path = pathFor(key);
  return async ({ configuration, screen }) => {
    const file = settingsFile(scope, { home: configuration.home, project: configuration.settings.project.folder });
    const outcome = await firstThatFits(changesFor(path, setting), async (changes) => {
      const [complaint] = changes.flatMap((change) => serverComplaint(change, file, configuration.settings) ?? []);
      return complaint ? { kind: 'refused', error: complaint } : changeSettings(file, changes, insideOf(scope, configuration));
    });
    if (outcome.kind === 'refused') throw advised(outcome.error, key, setting);
    const why =
      setting.how === 'unset' || setting.how === 'take' ? undefined : whyNot((await readAgain(configuration)).settings, path, file);
    if (screen.json) screen.value({ kind: outcome.kind, file, key, counts: why === undefined, ...(why === undefined ? {} : { why }) });
    else screen.print([`${outcome.kind === 'written' ? 'wrote' : 'nothing to change in'} ${file}: ${keyOf(path)}`]);
    if (why !== undefined) screen.warn(`pegboard: it does not count now: ${why}`);
    return exitCode.done;
  };
}

/** No link in a repository may lead a write out of it. */
export function insideOf(scope: Scope, { settings }: Configuration): string | undefined {
  return scope === 'user' ? undefined : settings.project.folder;
}

function pathFor(key: string): Path {
  const path = pathOf(key);
  if (path !== undefined) return path;
  throw new PegboardError('CLI_USAGE', {
    cause: `"${key}" is no key. Names are joined by dots, and one with a dot, bracket or quote in it stands in brackets: 'mcpServers["my.server"].command'.`,
  });
}

/** The changes that may be meant, the likelier first. Taken out is whatever the text may stand for. */
function changesFor(path: Path, setting: Setting): readonly [Changes, ...Changes[]] {
  if (setting.how === 'unset') return [[{ kind: 'remove', path }]];
  const { how, value } = setting;
  const asText = { kind: how, path, value };
  const asJson = { kind: how, path, value: parsedJson(value) };
  if (typeof asJson.value === 'string') return [[asJson]];
  return how === 'take' ? [[asJson, asText]] : [[asJson], [asText]];
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function firstThatFits(
  [first, ...others]: readonly [Changes, ...Changes[]],
  write: (changes: Changes) => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const outcome = await write(first);
  const [next] = others;
  if (outcome.kind !== 'refused' || next === undefined) return outcome;
  const other = await write(next);
  return other.kind === 'refused' ? outcome : other;
}

/** A field of a server is written where a server comes of it; otherwise a name with a dot in it may have been taken for two. */
function serverComplaint(change: SettingChange, file: string, { servers }: Settings): PegboardError | undefined {
  const [area, name, ...field] = change.path;
  if (area !== 'mcpServers' || name === undefined || change.kind !== 'set') return undefined;
  const before = servers.find((server) => server.name === name && server.place.source === file)?.definition;
  const complaint = complaintAbout(name, withMember(before, field, change.value));
  if (complaint === undefined) return undefined;
  const dotted = keyOf(['mcpServers', change.path.slice(1, -1).join('.'), ...change.path.slice(-1)]);
  const hint = field.length > 1 && before === undefined ? ` A name with a dot stands in brackets: '${dotted}'.` : '';
  const next = before === undefined && hint === '' ? ' `pegboard mcp add` writes a whole one.' : '';
  return new PegboardError('SETTINGS_VALUE', {
    place: file,
    key: keyOf(change.path),
    issue: `no server "${name}" would come of it, for ${complaint}.${hint}${next}`.replace(/\.$/, ''),
  });
}

function withMember(value: unknown, [first, ...rest]: Path, member: unknown): unknown {
  if (first === undefined) return member;
  const inside = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
  return { ...inside, [first]: withMember(Object.hasOwn(inside, first) ? inside[first] : undefined, rest, member) };
}

/** A list is mostly meant to have one more. */
function advised(error: PegboardError, key: string, setting: Setting): PegboardError {
  if (setting.how !== 'set' || !/expected (an )?array/.test(error.message)) return error;
  return new PegboardError('CLI_USAGE', {
    cause: `"${key}" is a list: --add puts "${setting.value}" at its end, --remove takes it out, and a whole list is JSON: '["…"]'.`,
  });
}

/** Why what stands in a file does not count, if it does not. */
function whyNot(settings: Settings, path: Path, file: string): string | undefined {
  for (const each of explainPath(settings, path)) {
    if (each.kind === 'list' ? each.items.some(({ place }) => place.source === file) : each.winner?.source === file) return undefined;
    const left = (each.kind === 'list' ? each.left : each.losers).find(({ place }) => place.source === file);
    if (left === undefined) continue;
    const winner = each.kind === 'value' && each.winner ? ` (${placeText(each.winner)}: ${JSON.stringify(each.value)})` : '';
    const waits = settings.ignored.some(({ place, until }) => until === 'trust' && placeText(place) === placeText(left.place));
    return `${left.why}${winner}${waits ? '; `pegboard trust` lets it count' : ''}`;
  }
  return `${file} is not read here`;
}
