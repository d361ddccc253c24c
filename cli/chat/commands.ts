import { MODES, PegboardError, type Mode } from 'pegboard';
import { listSessions, taskList, taskPanel } from 'pegboard/builtin-plugins';

import { permissionsList } from '../commands/permissions-list.ts';
import { toolsSearch } from '../commands/tools-search.ts';
import { modelChoice, openModel } from '../open-model.ts';
import { usageLine } from '../render/run-event.ts';
import { shown } from '../render/shown.ts';
import { tableLines } from '../render/table.ts';
import { displayLines } from '../render/terminal.ts';
import { savedOf } from '../saved-session.ts';
import type { Chat } from './chat.ts';
import { contextLines } from './context.ts';

/** Something a person does beside talking: `/name words`. */
export interface ChatCommand {
  readonly name: string;
  /** What may stand behind it. */
  readonly takes?: string | undefined;
  readonly summary: string;
  /** Not while something runs. */
  readonly alone?: true | undefined;
  run(chat: Chat, words: string): void | 'leaves' | Promise<void>;
}

const RECENT = 12;

/** All of them, in the order of the help. */
export const chatCommands: readonly ChatCommand[] = [
  { name: 'help', summary: 'these commands and the keys', run: help },
  { name: 'tools', takes: '[words]', summary: 'the tools there are, or those that fit the words', run: tools },
  { name: 'mcp', summary: 'the servers, and how each is', run: servers },
  { name: 'permissions', summary: 'the rules that count, and the mode', run: permissions },
  { name: 'model', takes: '[name]', summary: 'who answers; a name changes it', alone: true, run: model },
  { name: 'mode', takes: '[mode]', summary: 'how calls are judged that no rule speaks of; a mode changes it', run: mode },
  { name: 'tasks', summary: 'what the model has set itself to do', run: tasks },
  {
    name: 'compact',
    takes: '[wish]',
    summary: 'go on from a summary, with what you wish in it',
    alone: true,
    run: (chat, wish) => chat.compact(wish),
  },
  { name: 'clear', summary: 'begin a new conversation; this one is kept', alone: true, run: clear },
  { name: 'resume', takes: '[id]', summary: 'go on with a kept conversation', alone: true, run: resume },
  { name: 'context', summary: 'what fills the context of the model', run: (chat) => chat.desk.screen.print(contextLines(chat)) },
  { name: 'cost', summary: 'tokens and money since the chat began', run: cost },
  { name: 'exit', summary: 'leave; the conversation is kept', run: () => 'leaves' },
];

async function help(chat: Chat): Promise<void> {
  await chat.desk.skills.look();
  chat.desk.screen.print(helpLines(chat));
}

function helpLines({ desk: { screen, commands }, session }: Chat) {
  const { width } = screen;
  const isOwn = (name: string) => chatCommands.some((each) => each.name === name);
  const offered = commands
    .list(session.pool())
    .map(({ name, description }) =>
      isOwn(name) ? [`/${name}`, 'never heard: the chat itself has a command of this name'] : [`/${name}`, description],
    );
  const own = chatCommands.map(({ name, takes, summary }) => [`/${name}${takes === undefined ? '' : ` ${takes}`}`, summary]);
  const keys = [
    'ESC interrupts what runs; so does Ctrl-C. What you send meanwhile is heard with the next request.',
    'Tab completes commands and paths; ↑ brings back what you sent. Ctrl-D leaves.',
  ];
  return [...tableLines([{ title: 'command', holds: 'longest' }, { title: '' }], [...own, ...offered], width), '', ...keys];
}

async function tools({ desk, session }: Chat, words: string): Promise<void> {
  if (words !== '') return void (await toolsSearch({ query: words, limit: 8, explain: false })(desk));
  const { loaded, deferred } = session.pool();
  const { screen } = desk;
  const rows = [
    ...loaded.map(({ name, searchHint }) => [name, 'loaded', searchHint]),
    ...deferred.map(({ name, searchHint }) => [name, 'found by search', searchHint]),
  ];
  const columns = [
    { title: 'name', holds: 'longest' as const },
    { title: 'state' },
    { title: '', leaves: { turn: 1, to: 'nowhere' as const } },
  ];
  screen.print(tableLines(columns, rows, screen.width));
}

function servers({ desk: { host, screen } }: Chat): void {
  const all = host.pool().sources.filter(({ builtin }) => !builtin);
  if (all.length === 0) return screen.print(['no servers; `pegboard mcp add` adds one']);
  const rows = all.map(({ owner, status, tools: { length } }) => [
    owner,
    status.kind,
    String(length),
    status.kind === 'failed' ? status.message : '',
  ]);
  const columns = [
    { title: 'server', holds: 'longest' as const },
    { title: 'status' },
    { title: 'tools', align: 'right' as const },
    { title: '' },
  ];
  screen.print(tableLines(columns, rows, screen.width));
}

async function permissions({ desk, session }: Chat): Promise<void> {
  await permissionsList(undefined)({ ...desk, configuration: { ...desk.configuration, settings: desk.settings() } });
  desk.screen.print([`mode: ${session.mode}`]);
}

function model(chat: Chat, name: string): void {
  const { desk, face } = chat;
  const tell = () => desk.screen.print([`model: ${chat.model.name}`]);
  if (name === '') return tell();
  chat.beside(async (interrupted) => {
    face.busy('Opening the model');
    const choice = { ...modelChoice(desk, name), signal: AbortSignal.any([interrupted, desk.stop.signal]) };
    const opened = await openModel(choice).catch((cause: unknown) => {
      if (interrupted.aborted) return chat.model;
      throw cause;
    });
    if (interrupted.aborted) return desk.screen.print([`${name} was not opened; ${chat.model.name} answers as before`]);
    chat.model = opened;
    tell();
  });
}

function mode({ desk, session }: Chat, wished: string): void {
  if (wished !== '') {
    if (!isMode(wished)) throw new PegboardError('CLI_USAGE', { cause: `There is no mode "${wished}". There are: ${MODES.join(', ')}.` });
    session.mode = wished;
    if (session.mode !== wished) throw new PegboardError('CLI_USAGE', { cause: `The mode ${wished} may not be chosen here.` });
  }
  desk.screen.print([`mode: ${session.mode}`]);
}

function isMode(text: string): text is Mode {
  return (MODES as readonly string[]).includes(text);
}

function tasks({ desk: { screen }, session }: Chat): void {
  const { list } = session.state.get(taskList);
  screen.print(list.tasks.length === 0 ? ['no tasks'] : displayLines(taskPanel(list), screen.width));
}

async function clear(chat: Chat): Promise<void> {
  const { id, messages } = chat.session;
  await chat.turnTo(undefined);
  const kept = messages.length === 0 ? '' : `; /resume ${id} goes back to the one before`;
  chat.desk.screen.print([`a new conversation${kept}`]);
}

async function resume(chat: Chat, given: string): Promise<void> {
  const { desk, face, session } = chat;
  const id = given === '' ? await chosen(chat) : given;
  if (id === undefined) return;
  const saved = await savedOf({ kind: 'id', id }, desk);
  if (saved.id === session.id) return desk.screen.print(['that is this conversation']);
  await chat.turnTo(saved);
  face.busy(undefined);
  desk.screen.print([`session ${saved.id} goes on; it has ${chat.session.messages.length} messages`]);
}

/** One of the last sessions of this folder, as the person chooses; without a person they are only shown. */
async function chosen({ desk: { host, screen, stop }, face, session }: Chat): Promise<string | undefined> {
  const kept = (await listSessions(host.home)).filter(({ cwd, id, agent }) => cwd === host.cwd && id !== session.id && agent === 'main');
  const recent = kept.slice(0, RECENT);
  if (kept.length === 0 || !face.live) {
    screen.print(kept.length === 0 ? ['no other session of this folder is kept'] : recent.map(({ id, title }) => `${id}  ${title}`));
    return undefined;
  }
  const options = recent.map(({ id, title, changed }) => ({
    label: id,
    description: `${new Date(changed).toISOString().slice(0, 16).replace('T', ' ')}  ${shown(title, 60)}`,
  }));
  const answer = await face.asker.question({ text: 'Which conversation?', options }, stop.signal);
  return answer.kind === 'answer' ? answer.text : undefined;
}

function cost({ desk: { screen }, usage: { usd, ...usage } }: Chat): void {
  screen.print([usageLine(usage, usd)]);
}
