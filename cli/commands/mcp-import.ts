import { homedir } from 'node:os';
import { resolve } from 'node:path';

import { PegboardError } from 'pegboard';
import { maskText } from 'pegboard/kit';
import { complaintAbout } from 'pegboard/mcp';
import { maskSecrets, readOtherHost, type OtherServer, type OtherServers } from 'pegboard/settings';

import { isYes } from '../ask-trust.ts';
import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { definitionFacts, factLines, serverText } from '../render/server-text.ts';
import { shellWord } from '../render/shell-word.ts';
import { shown } from '../render/shown.ts';
import { wrapped } from '../render/wrapped.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { cleanName } from '../server-name.ts';
import { serversInFile } from '../servers-in-file.ts';
import { foundIn, serverFile, unfilled, whyNot, writeServers } from '../write-servers.ts';

/** A server that would be added; `as` where it cannot keep its name. */
interface Addition {
  readonly name: string;
  readonly as: string;
  readonly from: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}
interface LeftOut {
  readonly name: string;
  readonly from: string;
  readonly why: string;
}
interface Plan {
  readonly add: readonly Addition[];
  readonly left: readonly LeftOut[];
}

/** `mcp import`: says which servers of another program would be added and what is lost with each; with a yes all of them are written in one step, or none. */
export function mcpImport({ host, file, scope }: ConfigRequest & { readonly kind: 'mcp import' }): SettingsCommand {
  return async (desk) => {
    const { screen } = desk;
    const target = serverFile(scope, desk);
    const found = await readFound(host, file, desk);
    const plan = await planned(found, scope, target, desk);
    if (!screen.json) screen.print(planLines(found, plan, screen.width));
    const write = plan.add.length > 0 && (await agreed(plan.add.length, target, desk));
    if (write) await writePlan(plan, scope, target, desk);
    if (screen.json) screen.value(planJson(found, plan, { scope, target, written: write }));
    else screen.print(endLines(plan, target, write));
    return exitCode.done;
  };
}

async function readFound(host: Parameters<typeof readOtherHost>[0], file: string | undefined, { configuration, report }: SettingsDesk) {
  const { folder } = configuration.settings.project;
  const place = { platform: process.platform, home: homedir(), environment: process.env, folder };
  const found = await readOtherHost(host, place, file === undefined ? undefined : resolve(file));
  const errors = found.files.flatMap((each) =>
    each.kind === 'broken' ? [new PegboardError('IMPORT_FILE', { file: each.file, host: found.title, cause: each.why })] : [],
  );
  const [first] = errors;
  if (found.servers.length === 0)
    throw first ?? new PegboardError('IMPORT_NONE', { host: found.title, files: found.files.map((each) => each.file).join(', ') });
  for (const { message, code } of errors) report({ message, code, blame: 'config' });
  return found;
}

/** A name is taken by whoever has it already, in whichever layer: nothing is replaced. */
async function planned({ servers }: OtherServers, scope: Scope, target: string, { configuration }: SettingsDesk): Promise<Plan> {
  const { settings } = configuration;
  const taken = new Map<string, string>((await serversInFile(target)).map((name) => [name, target]));
  for (const { name, place } of settings.servers) if (!taken.has(name)) taken.set(name, place.source);
  const add: Addition[] = [];
  const left: LeftOut[] = [];
  for (const server of servers) {
    const judged = judge(server, scope, taken, settings.refusal);
    if (judged.kind === 'left') left.push({ name: server.name, from: fromText(server), why: judged.why });
    else {
      taken.set(judged.addition.as, judged.addition.from);
      add.push(judged.addition);
    }
  }
  return { add, left };
}

type Judged = { readonly kind: 'add'; readonly addition: Addition } | { readonly kind: 'left'; readonly why: string };

function judge(
  server: OtherServer,
  scope: Scope,
  taken: ReadonlyMap<string, string>,
  refusal: (name: string, definition: unknown) => string | undefined,
): Judged {
  const { name, reach, read } = server;
  const left = (why: string): Judged => ({ kind: 'left', why });
  if (read.kind === 'unusable') return left(read.why);
  if (reach === 'folder' && scope === 'user') return left('it is for this folder only; `--scope local` takes it');
  const as = cleanName(name);
  if (as === undefined) return left('no name can be made of its name');
  const holder = taken.get(as);
  if (holder !== undefined) return left(`${holder} has a server "${as}" already`);
  const why = complaintAbout(as, read.definition) ?? refusal(as, read.definition);
  if (why !== undefined) return left(why);
  const renamed = as === name ? [] : [`its name is "${as}" here, because "${name}" could not stand in rules`];
  const notes = [...renamed, ...read.notes].map((note) => maskText(note.replaceAll('mcp__SERVER', `mcp__${as}`)));
  return { kind: 'add', addition: { name, as, from: fromText(server), definition: read.definition, notes } };
}

function fromText({ place: { source, line } }: OtherServer): string {
  return line === undefined ? source : `${source}:${line}`;
}

/** `--yes`, or the person at the terminal; nobody else can agree. */
async function agreed(count: number, target: string, { options, screen, stop }: SettingsDesk): Promise<boolean> {
  if (options.yes) return true;
  if (screen.json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { askPerson } = await import('../ask-person.ts');
  const asker = askPerson({ input: process.stdin, output: process.stderr }, screen, stop);
  return isYes(asker, { text: `Add ${count === 1 ? 'it' : `these ${count}`} to ${target}?` }, stop.signal);
}

async function writePlan({ add }: Plan, scope: Scope, target: string, desk: SettingsDesk): Promise<void> {
  const now = await writeServers(new Map(add.map(({ as, definition }) => [as, definition])), scope, desk);
  for (const { as, definition } of add) {
    const added = foundIn(now, as, target);
    if (added !== undefined && ['ready', 'disabled'].includes(added.state.kind))
      for (const line of unfilled(added)) desk.screen.warn(line.replace('pegboard: ', `pegboard: ${as}: `));
    else desk.screen.warn(`pegboard: ${as} does not start yet: ${whyNot(added, target)}`);
    if (scope === 'project' && serverText(definition).includes('***'))
      desk.screen.warn(`pegboard: ${as}: ${target} is for everybody here, and what is masked above stands in it`);
  }
}

function planLines({ title, files }: OtherServers, { add, left }: Plan, width: number): readonly Line[] {
  const read = files.flatMap((each) => (each.kind === 'read' && each.servers > 0 ? [`${each.file} (${each.servers} of ${title})`] : []));
  return [
    ...read,
    ...add.flatMap(({ as, definition, notes }): readonly Line[] => [
      [{ text: `+ ${shellWord(as)}`, style: 'green' }],
      ...factLines('    ', definitionFacts(definition, 'record')),
      ...notes.flatMap((note) => wrapped(`    ${shown(note)}`, width, '      ').map((text): Line => [{ text, style: 'yellow' }])),
    ]),
    ...left.map(({ name, why }): Line => [{ text: `- ${shellWord(name)}`, style: 'yellow' }, ` left out: ${maskText(why)}`]),
  ];
}

function endLines({ add }: Plan, target: string, written: boolean): readonly Line[] {
  if (add.length === 0) return ['nothing to add'];
  if (written) return [`added to ${target}: ${add.map(({ as }) => as).join(', ')}`];
  return [`nothing is written: with --yes ${add.length === 1 ? 'it is' : 'they are'} added to ${target}`];
}

function planJson(
  { title, files }: OtherServers,
  { add, left }: Plan,
  { scope, target, written }: { readonly scope: Scope; readonly target: string; readonly written: boolean },
) {
  return {
    host: title,
    files: files.map(({ kind, ...rest }) => ({ ...rest, state: kind })),
    scope,
    file: target,
    written,
    servers: add.map(({ name, as, from, definition, notes }) => ({
      name: as,
      ...(as === name ? {} : { was: name }),
      from,
      server: serverText(definition),
      definition: maskSecrets('mcpServers.server', definition),
      notes,
    })),
    left: left.map(({ name, from, why }) => ({ name, from, why: maskText(why) })),
  };
}
