import { join } from 'node:path';

import { oneLine } from './announcement.ts';
import { createBackgroundTasks, endWords } from './background.ts';
import { Channel } from './channel.ts';
import { compact, type Compaction, type CompactionRequest } from './compaction.ts';
import type { Epoch } from './disclosure.ts';
import { PegboardError, causeText } from './errors.ts';
import type { HookBus, ToolCall } from './hooks.ts';
import { runQuery, type RunEvent, type RunOptions } from './loop.ts';
import { textBlock, type Message } from './message.ts';
import type { Model, Strategy } from './model.ts';
import { headlessAsker } from './asker.ts';
import { CallWorkspaces } from './call-workspace.ts';
import type { Desk } from './permission/ask.ts';
import type { Judged, Mode } from './permission/decision.ts';
import type { Explanation } from './permission/explain.ts';
import { hidesFile } from './permission/part-rules.ts';
import type { Policy } from './permission/pipeline.ts';
import { SessionRules } from './permission/session-rules.ts';
import { OpenWork } from './open-work.ts';
import type { Pool } from './pool.ts';
import type { Receipt } from './receipts.ts';
import { dueReminders, planReminder, type ReminderPlace } from './reminders.ts';
import { restore } from './restore.ts';
import { createResultStore, type ResultStore } from './results/store.ts';
import { runCall, type CallPlace, type Outcome } from './schedule/call.ts';
import { Interrupts, isSuperseded } from './schedule/interrupt.ts';
import { explainCall } from './schedule/explain.ts';
import { revealed } from './search/revealed.ts';
import type { OpenTurn, SessionHost, SessionOptions } from './session-host.ts';
import { SessionLog } from './session-log.ts';
import { StateStore } from './state.ts';
import type { CallWorkspace, ToolContext } from './tool.ts';

/** What is assumed until a model says how much it takes. */
export const DEFAULT_CONTEXT_TOKENS = 200_000;

/** One conversation: its history, its state, and the pool as it sees it. */
export class Session {
  readonly id: string;
  readonly state: StateStore;
  readonly log: SessionLog;
  readonly interrupts = new Interrupts();
  readonly results: ResultStore;
  readonly hooks: HookBus;
  messages: readonly Message[] = [];
  /** What the model is told with its next request. */
  readonly news: string[] = [];
  /** The stretch of the conversation with one loaded set; the loop opens it at the first request. */
  epoch: Epoch | undefined;
  receipt: Receipt | undefined;
  /** How deferred tools are shown; the model of the last run decides it. */
  strategy: Strategy = 'append';
  contextTokens = DEFAULT_CONTEXT_TOKENS;
  /** Of the newest request and its answer, as the endpoint counts them. */
  usedTokens = 0;
  /** How many there were when the history could not be made short. */
  triedAtTokens: number | undefined;
  readonly #host: SessionHost;
  readonly #closed: () => void;
  readonly #known = new Set<string>();
  readonly #shape: SessionOptions;
  /** The one that began last. */
  #turn: OpenTurn | undefined;
  #mode: Mode | undefined;
  /** Approvals kept for this conversation. */
  readonly #rules: SessionRules;
  readonly #callIds = new Set<string>();
  readonly #work = new OpenWork();
  readonly #workspaces: CallWorkspaces;
  readonly #tasks = createBackgroundTasks((task) => {
    this.news.push(`Background task ${task.id} (${oneLine(task.title, 120)}) has ended: ${oneLine(endWords(task.state), 200)}.`);
    this.#host.emit({ kind: 'task', session: this.id, task });
  });

  constructor(host: SessionHost, closed: () => void = () => undefined, shape: SessionOptions = {}) {
    this.#host = host;
    this.#shape = shape;
    this.#rules = new SessionRules(host.options.saveRule, (message) => host.emit({ kind: 'report', plugin: 'host', message }));
    this.#mode = shape.mode;
    this.#closed = closed;
    this.#workspaces = new CallWorkspaces(host.options);
    this.hooks = host.hooks;
    const { messages, recorded, states, epoch, callIds } = restore(shape.saved?.records ?? []);
    this.id = shape.saved?.id ?? host.options.id();
    this.messages = messages;
    this.state = new StateStore(states);
    this.epoch = epoch;
    for (const id of callIds) this.#callIds.add(id);
    const journal = host.journal()?.({ id: this.id, cwd: host.options.cwd, agent: shape.agent ?? 'main' });
    this.log = new SessionLog(journal, recorded, (cause) =>
      host.emit({ kind: 'report', plugin: 'host', message: `this conversation is not written down any more: ${causeText(cause)}` }),
    );
    this.results = createResultStore(join(host.options.home, 'sessions', this.id, 'results'));
  }

  /** Begins a turn: the pool as it is now; its calls are judged by the rules as they are now. */
  pool(): Pool {
    const { strategy, contextTokens, epoch } = this;
    const turn = this.#host.turn({ strategy, contextTokens, revealed: this.state.get(revealed), sent: epoch?.sent });
    const { pool } = turn;
    if (pool !== this.#turn?.pool) for (const { name } of pool.tools) this.#known.add(name);
    this.#turn = turn;
    return pool;
  }

  /** One call through the whole pipeline; stopped when the session is closed. Never throws. */
  call(name: string, input: unknown, options: { readonly signal?: AbortSignal; readonly pool?: Pool } = {}): Promise<Outcome> {
    const stop = this.#work.nextStop();
    const signal = options.signal ? AbortSignal.any([stop.signal, options.signal]) : stop.signal;
    const place = this.place(options.pool ?? this.pool(), signal);
    return this.#work.during(runCall({ callId: this.newCallId(), tool: name, input }, place), stop);
  }

  /** How a call would be judged now, and by which rules; nothing of it runs and nobody is asked. */
  explain(name: string, input: unknown): Promise<Explanation> {
    const place = this.place(this.pool(), this.#work.ended);
    return this.#work.during(explainCall({ callId: this.newCallId(), tool: name, input }, place));
  }

  /**
   * Submits a message and tells what happens until the query ends, and the queries of messages that came meanwhile; the last event
   * is `end`. Leaving the iteration is a hard stop. Throws SESSION_BUSY while another run goes on.
   */
  async *run(prompt: string, options: RunOptions): AsyncGenerator<RunEvent, void, undefined> {
    if (this.interrupts.goesOn) throw new PegboardError('SESSION_BUSY', {});
    const events = new Channel<RunEvent>();
    const left = new AbortController();
    const signal = this.#untilClosed(options.signal, left.signal);
    const done = this.#work.during(
      this.#queries(prompt, options, signal, (event) => events.push(event)).then(
        () => events.close(),
        (cause: unknown) => events.fail(cause),
      ),
    );
    try {
      yield* events;
    } finally {
      left.abort();
      await done;
    }
  }

  /**
   * A message of the person while a run goes on (M7.1). It is delivered with the next request, or starts a query of its own where
   * the one that goes on ends with it; where none goes on it waits for the next run.
   */
  submit(text: string): void {
    this.interrupts.submit(text);
  }

  /** The hard stop of the run that goes on, if there is one; what runs in the background goes on. */
  interrupt(): void {
    this.interrupts.stop();
  }

  /** Puts a summary in the place of the history; nothing is changed where that does not work. Throws SESSION_BUSY while a run goes on. */
  async compact(model: Model, options: Partial<Omit<CompactionRequest, 'model'>> = {}): Promise<Compaction> {
    if (this.interrupts.goesOn) throw new PegboardError('SESSION_BUSY', {});
    return this.#work.during(this.makeRoom({ ...options, model, signal: this.#untilClosed(options.signal) }));
  }

  /** The same for whoever runs the session. */
  makeRoom(request: Omit<CompactionRequest, 'messages'>): Promise<Compaction> {
    return compact(this, this.#host.compactor(), request);
  }

  /** Other messages in the place of the history; a new epoch begins with the next request. */
  async replace(messages: readonly Message[]): Promise<void> {
    this.messages = messages;
    this.epoch = undefined;
    this.receipt = undefined;
    this.usedTokens = 0;
    await this.log.compacted(messages, this.state);
  }

  /** Adds a message to the history. */
  add(message: Message): void {
    // Not spread: in a long conversation that costs more than all else of a turn.
    this.messages = this.messages.concat(message);
  }

  /** Adds a message of the user. */
  say(texts: readonly string[]): void {
    this.add({ role: 'user', content: texts.map(textBlock) });
  }

  /** What the next request reminds of; `anew` where it is the first of an epoch. */
  reminders(anew: boolean): readonly string[] {
    const { options, reminders, emit } = this.#host;
    const place: ReminderPlace = {
      mode: this.mode,
      planFile: this.#shape.planFile,
      now: options.clock(),
      branch: this.#begun().options.branch,
      contextTokens: this.contextTokens,
      state: (slot) => this.state.get(slot),
    };
    const report = (name: string, cause: unknown) =>
      emit({ kind: 'report', plugin: 'host', message: `the reminder ${name} failed: ${causeText(cause)}` });
    return dueReminders([planReminder, ...reminders()], place, anew, report);
  }

  /** What a call needs around it, for a turn with this pool. `tell` hears decisions and progress of the call, and of those it makes. */
  place(pool: Pool, signal: AbortSignal, tell: (event: CallEvent) => void = () => undefined): CallPlace {
    if (this.#turn === undefined) this.pool();
    return {
      pool,
      policy: () => this.#policy(),
      hooks: this.#host.hooks,
      signal,
      desk: () => this.#desk(),
      known: (name) => this.#known.has(name),
      clock: this.#host.options.clock,
      about: () => this.#about(),
      decided: (call, decision) => this.#say({ kind: 'decision', call, decision }, tell),
      context: (call, callSignal) => this.#context(call, pool, callSignal, tell),
    };
  }

  /** The mode calls are judged in. Setting one that nobody may choose leaves it as it was. */
  get mode(): Mode {
    const { mode, disabledModes } = this.#begun().options;
    const wished = this.#mode ?? mode;
    return disabledModes.includes(wished) ? 'default' : wished;
  }
  set mode(mode: Mode) {
    if (!this.#begun().options.disabledModes.includes(mode)) this.#mode = mode;
  }

  /** What an announcement may take of a request, where the settings say so. */
  get announcementBytes(): number | undefined {
    return this.#begun().options.deferral.announcementBytes;
  }

  newCallId(): string {
    return `call-${this.#host.options.id()}`;
  }

  /** The id a model gave to a call, or a fresh one where that was used before in this session or no endpoint would take it back. */
  ownCallId(given: string): string {
    const id = this.#callIds.has(given) || !/^[a-zA-Z0-9_-]{1,200}$/.test(given) ? this.newCallId() : given;
    this.#callIds.add(id);
    return id;
  }

  /** Stops what the session still runs, waits for it for a while, and lets nothing start any more. */
  async close(): Promise<void> {
    const why = new PegboardError('SESSION_CLOSED', {});
    this.#work.end(why);
    await this.#tasks.close();
    await this.#work.over();
    await this.log.close();
    this.#closed();
  }

  #begun(): OpenTurn {
    if (this.#turn === undefined) this.pool();
    return this.#turn as OpenTurn;
  }

  #policy(): Policy {
    const turn = this.#begun();
    const { headless, home, guarded } = this.#host.options;
    const { branch, trustedSources } = turn.options;
    const { agent = 'main', planFile } = this.#shape;
    return {
      rules: turn.options.policyRulesOnly ? turn.book : this.#rules.book(turn.book),
      mode: this.mode,
      facts: { agent, headless, branch },
      own: [home, ...guarded],
      planFile,
      trusts: (tool) => {
        const source = turn.pool.place(tool.name)?.source;
        return source !== undefined && [source.owner, ...(source.ruleNames ?? [])].some((name) => trustedSources.includes(name));
      },
    };
  }

  #about(): ReturnType<CallPlace['about']> {
    const { cwd } = this.#host.options;
    const { branch, additionalDirectories } = this.#begun().options;
    const { agent, headless } = this.#policy().facts;
    return { session: this.id, mode: this.mode, agent, headless, branch, folders: [cwd, ...additionalDirectories] };
  }

  #desk(): Desk {
    const { hooks, options } = this.#host;
    const { mode } = this;
    const asker = mode === 'bubble' ? (this.#shape.parent ?? headlessAsker) : options.asker;
    return {
      mode,
      hooks,
      asker,
      classifier: options.classifier,
      remember: this.#begun().options.policyRulesOnly ? undefined : (rules, scope) => this.#rules.remember(rules, scope),
    };
  }

  /** Messages that came in time for no request of their query are the next one's. */
  async #queries(prompt: string, options: RunOptions, outer: AbortSignal, tell: (event: RunEvent) => void): Promise<void> {
    const { interrupts } = this;
    try {
      let { attached } = options;
      for (let prompts = [...interrupts.take(), prompt]; prompts.length > 0; prompts = [...interrupts.take()]) {
        const signal = AbortSignal.any([outer, interrupts.begin()]);
        const { reason } = await runQuery(this, prompts, { ...options, attached }, signal, tell);
        attached = undefined;
        if (reason !== 'completed' && !isSuperseded(signal)) return;
      }
    } finally {
      interrupts.end();
    }
  }

  #untilClosed(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#work.ended, ...signals.filter((signal) => signal !== undefined)]);
  }

  #say(event: CallEvent, tell: (event: CallEvent) => void): void {
    tell(event);
    this.#host.emit({ session: this.id, ...event });
  }

  #workspace(name: string, pool: Pool): CallWorkspace {
    return this.#workspaces.open(this.#begun().options.additionalDirectories, async (path, workspace) => {
      const tool = pool.get(name);
      return tool !== undefined && hidesFile(path, { tool, grants: pool.grants(tool) }, this.#policy(), workspace);
    });
  }

  #context(call: ToolCall, pool: Pool, signal: AbortSignal, tell: (event: CallEvent) => void): ToolContext {
    return {
      callId: call.callId,
      signal,
      workspace: this.#workspace(call.tool, pool),
      pool,
      results: this.results,
      tasks: this.#tasks,
      report: (progress) => this.#say({ kind: 'progress', call, progress }, tell),
      state: (slot) => this.state.get(slot),
      call: async (name, input) => {
        const inner = { callId: this.newCallId(), tool: name, input };
        const outcome = await this.#work.during(runCall(inner, this.place(pool, signal, tell)));
        return outcome.result;
      },
      ask: (question) => this.#host.options.asker.question(question, signal),
    };
  }
}

/** Something that happens during a call. */
export type CallEvent =
  | { readonly kind: 'decision'; readonly call: ToolCall; readonly decision: Judged }
  | { readonly kind: 'progress'; readonly call: ToolCall; readonly progress: unknown };
