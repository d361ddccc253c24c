import {
  definePlugin,
  errorResult,
  PegboardError,
  textResult,
  type CommandOffer,
  type Plugin,
  type PluginScope,
  type StandardSchema,
  type ToolContext,
  type ToolResult,
} from 'pegboard';

import { ActiveSkills, serverName } from './active.ts';
import { expandSkill, type ExpandPlace } from './expand.ts';
import { Library, type Shelf } from './library.ts';
import { listSkills } from './listing.ts';
import { ownPlaces } from './own-places.ts';
import { isOffered, type Skill } from './skill.ts';
import { makeSkillTool, skillNamed, type SkillDesk } from './skill-tool.ts';

export type { LeftOut } from './discover.ts';
export type { Shelf } from './library.ts';
export { isOffered } from './skill.ts';
export type { Origin, Skill, SkillFields } from './skill.ts';

/** Written procedures: the plugin that follows the points `skill.folder` and `command.folder`, and what it found. */
export interface Skills {
  readonly plugin: Plugin;
  /** Looks at all places now; one that was given the same name as another is not in it. Never rejects. */
  look(): Promise<Shelf>;
  /** The one a person means by a name. */
  find(name: string): Promise<Skill | undefined>;
}

/** What a model is told of skills: of one, in characters, and of all of them, as a share of what fits into a request. */
const LISTING = { descriptionChars: 1_536, share: 0.01 } as const;
/** Of a token, in the words of people. */
const TOKEN_BYTES = 4;
/** Below that not even the way to find a skill would fit. */
const LEAST_LISTING_BYTES = 400;

/**
 * Skills and slash commands: the tool Skill, and an offer at the point `command` for each. Files are looked at again with every prompt, so
 * that a change counts from the next one on. One for each host.
 */
export function skills(): Skills {
  const library = new Library();
  let opened: Opened | undefined;
  const tool = makeSkillTool({
    any: () => library.any(),
    all: async () => (await library.look()).skills,
    known: () => library.shelf.skills,
    use: async (...call) => (opened ? opened.use(...call) : errorResult('')),
  });
  const plugin = definePlugin({ name: 'skills', tools: [tool], setup: (scope) => void (opened = open(scope, library)) });
  const look = () => (opened ? opened.look() : library.look());
  return { plugin, look, find: async (name) => skillNamed(name, (await look()).skills) };
}

interface Opened extends Pick<SkillDesk, 'use'> {
  look(): Promise<Shelf>;
}

function open(scope: PluginScope, library: Library): Opened {
  const { home, cwd } = scope;
  const claude = scope.settings('compat', compatSchema).claude;
  const runsCommands = !scope.settings('disableSkillShellExecution', isTrueSchema);
  const own = () => ownPlaces({ home, cwd, claude, trusted: (path) => scope.trusted(path), report: (cause) => scope.report(cause) });
  const budget = (contextTokens: number) => ({
    bytes: Math.max(
      LEAST_LISTING_BYTES,
      Math.floor(scope.settings('skillListingBudgetFraction', numberSchema(LISTING.share)) * contextTokens * TOKEN_BYTES),
    ),
    descriptionChars: scope.settings('skillListingMaxDescChars', numberSchema(LISTING.descriptionChars)),
  });
  const active = new ActiveSkills((all) => contributeOf(all, scope));
  const sessions = new Map<string, string>();
  library.sources = { own: own() };

  const expandFor = (skill: Skill, words: string, place: Omit<ExpandPlace, 'cwd' | 'runsCommands'>) =>
    begun(skill, place.session, active, () => expandSkill(skill, words, { ...place, cwd, runsCommands }));
  const look = async () => {
    library.sources = { own: own() };
    const shelf = await library.look();
    scope.contribute(
      'command',
      shelf.skills.filter(({ fields }) => fields.forPerson).map((skill) => commandOf(skill, expandFor)),
    );
    return shelf;
  };

  scope.follow('skill.folder', (skillFolders) => (library.sources = { skillFolders }));
  scope.follow('command.folder', (commandFolders) => (library.sources = { commandFolders }));
  scope.contribute('reminder', [
    {
      name: 'skills',
      shows: 'at once',
      everyTurns: Number.POSITIVE_INFINITY,
      snapshot: ({ contextTokens }) => {
        const offered = library.shelf.skills.filter(isOffered);
        return offered.length === 0 ? undefined : { full: listSkills(offered, budget(contextTokens)) };
      },
      over: 'There are no skills any more.',
    },
  ]);
  scope.on({
    'prompt.submit': async () => void (await look()),
    'session.end': ({ session }) => active.end(session),
    'tool.before': (call) => {
      if (call.tool === 'Skill' && !call.dryRun) sessions.set(call.callId, call.session);
      return active.judge(call);
    },
    'call.end': ({ call }) => void sessions.delete(call.callId),
  });
  const use: SkillDesk['use'] = async (skill, words, context) => {
    const session = sessions.get(context.callId) ?? '';
    const said = await expandFor(skill, words, { pool: context.pool, session, call: (name, input) => context.call(name, input) });
    if (said.kind === 'wrong') return errorResult(said.error.message);
    return skill.fields.fork === undefined ? textResult(said.text) : forked(skill, skill.fields.fork, said.text, context);
  };
  return { use, look };
}

/** It is active while its own commands run, so that what it allows holds for them. */
async function begun<Said extends { readonly kind: string }>(
  skill: Skill,
  session: string,
  active: ActiveSkills,
  expand: () => Promise<Said>,
): Promise<Said | { readonly kind: 'wrong'; readonly error: PegboardError }> {
  if (!skill.from.trusted)
    return { kind: 'wrong', error: new PegboardError('SKILL_UNTRUSTED', { skill: skill.id, folder: skill.from.root }) };
  active.begin(session, skill);
  const said = await expand();
  if (said.kind === 'wrong') active.drop(session, skill);
  return said;
}

/** In a conversation of its own, where something can start one. */
async function forked({ id, file }: Skill, agent: string, text: string, { pool, call }: ToolContext): Promise<ToolResult> {
  const starter = pool.tools.find(({ kind }) => kind === 'agent');
  if (starter === undefined) return errorResult(new PegboardError('SKILL_FORK', { skill: id, file, agent }).message);
  return call(starter.name, { prompt: text, description: id, subagent_type: agent });
}

type ExpandFor = (skill: Skill, words: string, place: Omit<ExpandPlace, 'cwd' | 'runsCommands'>) => ReturnType<typeof expandSkill>;

/** As people type it: the text says first which command stood there. */
function commandOf(skill: Skill, expandFor: ExpandFor): CommandOffer {
  const { id, description, aliases, fields } = skill;
  return {
    name: id,
    aliases,
    description,
    arguments: fields.hint === undefined ? [] : [{ name: fields.hint, description: '', required: false }],
    expand: async (words, { pool, session, call }) => {
      const said = await expandFor(skill, words, { pool, session, call });
      if (said.kind === 'wrong') return said;
      const head = `<command-message>${id}</command-message>\n<command-name>/${id}</command-name>\n<command-args>${words}</command-args>`;
      return { kind: 'prompt', content: [{ type: 'text', text: `${head}\n${said.text}` }] };
    },
  };
}

/** What the active skills bring with them, a server once however many use it; gone when they are not active any more. */
function contributeOf(all: ReadonlyMap<string, readonly Skill[]>, scope: PluginScope): void {
  const each = new Map([...all.values()].flat().map((skill) => [skill.id, skill]));
  const servers = [...each.values()].flatMap(({ id, file, from, fields }) =>
    Object.entries(fields.servers).map(([name, definition]) => ({
      name: serverName(id, name),
      definition,
      origin: file,
      folder: from.root,
      variables: from.variables,
    })),
  );
  scope.contribute('mcp.server', servers);
  scope.contribute(
    'hook.config',
    [...all].flatMap(([session, active]) =>
      active.flatMap(({ file, from, fields }) => (fields.hooks ? [{ from, definition: fields.hooks, origin: file, session }] : [])),
    ),
  );
}

const compatSchema: StandardSchema<{ readonly claude: boolean }> = schemaOf((value) => ({
  claude: (value as { readonly claude?: unknown } | undefined)?.claude !== false,
}));
const numberSchema = (usual: number): StandardSchema<number> => schemaOf((value) => (typeof value === 'number' ? value : usual));
const isTrueSchema: StandardSchema<boolean> = schemaOf((value) => value === true);

/** Settings are checked where they are read: here they only have to be taken apart. */
function schemaOf<Value>(read: (value: unknown) => Value): StandardSchema<Value> {
  return { '~standard': { version: 1, vendor: 'pegboard', validate: (value) => ({ value: read(value) }) } };
}
