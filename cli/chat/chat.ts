import { causeText, type Model, type ModelEvent, type RunEvent, type SavedSession, type Session } from 'pegboard';
import { systemPrompt } from 'pegboard/builtin-plugins';

import { ASKING_AGAIN, SUMMARISING } from '../activity.ts';
import { errorText } from '../error-advice.ts';
import { readTyped } from '../read-typed.ts';
import { againLine, compactionLine } from '../render/run-event.ts';
import type { Desk } from '../run-command.ts';
import { addUsage, NO_USAGE } from '../run-story.ts';
import { waitBriefly } from '../wait-for-servers.ts';
import type { Face } from './face.ts';
import { TurnTeller } from './tell-turn.ts';

/** One conversation at a time, and who answers in it. */
export class Chat {
  readonly desk: Desk;
  readonly face: Face;
  model: Model;
  /** Of all answers since the chat began. */
  usage = NO_USAGE;
  #session: Session;
  #stop: AbortController | undefined;
  /** What was said while something ran and has not entered the conversation. */
  #unheard: string[] = [];
  /** What runs hears nothing: a summary, or a model that is opened. */
  #deaf = false;
  #ended: Promise<void> = Promise.resolve();
  /** Whether servers were waited for: what is still fetched then is not waited for in each turn. */
  #waited = false;

  constructor(desk: Desk, face: Face, model: Model, saved: SavedSession | undefined) {
    this.desk = desk;
    this.face = face;
    this.model = model;
    this.#session = desk.host.session({ saved });
  }

  get session(): Session {
    return this.#session;
  }
  get runs(): boolean {
    return this.#stop !== undefined;
  }

  /** A message of the person: it begins a run, or goes into the one that goes on. */
  say(text: string): void {
    if (this.#stop) {
      this.#unheard.push(text);
      return this.#deaf ? undefined : this.#session.submit(text);
    }
    const stop = new AbortController();
    this.#stop = stop;
    this.#ended = this.#run(text, stop.signal).finally(() => (this.#stop = undefined));
  }

  /** The hard stop of what runs. */
  interrupt(): void {
    this.#stop?.abort();
  }

  /** Settles when nothing runs any more. */
  ended(): Promise<void> {
    return this.#ended;
  }

  /** Leaves the conversation, which is kept, and begins another or goes on with a kept one. */
  async turnTo(saved: SavedSession | undefined): Promise<void> {
    await this.#session.close();
    this.#unheard = [];
    this.#session = this.desk.host.session({ saved, mode: this.#session.mode });
    this.face.clear();
  }

  /** Puts a summary in the place of the history; it should have what the person wishes in it. */
  compact(wish: string): void {
    this.beside((interrupted) => this.#summarise(wish, interrupted));
  }

  /** Something beside the conversation that can be interrupted; a failure is told. What is said meanwhile is said after it. */
  beside(work: (interrupted: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#deaf = true;
    const told = (cause: unknown) => this.desk.screen.warn([{ text: errorText(cause), style: 'red' }]);
    this.#ended = work(stop.signal)
      .catch(told)
      .finally(() => {
        this.face.busy(undefined);
        this.#stop = undefined;
        this.#deaf = false;
        for (const text of this.#unheard.splice(0)) this.say(text);
      });
  }

  async close(): Promise<void> {
    this.interrupt();
    await this.#ended;
    await this.#session.close();
  }

  async #run(typed: string, interrupted: AbortSignal): Promise<void> {
    const { desk, face, model } = this;
    const signal = AbortSignal.any([interrupted, desk.stop.signal]);
    const teller = new TurnTeller(face, desk);
    try {
      face.busy('Waiting for servers');
      await waitBriefly({ ...desk, stop: { ...desk.stop, signal } }, this.#waited);
      this.#waited = true;
      const { text, attached } = await readTyped(typed, this.#session, { ...desk, stop: { ...desk.stop, signal } });
      for await (const event of this.#session.run(text, { model, system: systemPrompt, signal, attached })) {
        this.#count(event);
        teller.tell(event);
      }
    } catch (cause) {
      desk.screen.warn([{ text: causeText(cause), style: 'red' }]);
    } finally {
      face.busy(undefined);
      if (this.#unheard.length > 0)
        desk.screen.tell([{ text: 'What you said last waits, and goes with what you say next.', style: 'dim' }]);
    }
  }

  async #summarise(wish: string, interrupted: AbortSignal): Promise<void> {
    const { desk, face, model } = this;
    const session = this.#session;
    const signal = AbortSignal.any([interrupted, desk.stop.signal]);
    const hear = (event: ModelEvent) => {
      face.busy(event.kind === 'again' ? ASKING_AGAIN : SUMMARISING);
      if (event.kind === 'again') desk.screen.tell(againLine(event));
      if (event.kind !== 'stop' || event.usage === undefined) return;
      const used = { kind: 'usage', usage: event.usage, usd: model.price?.(event.usage) } as const;
      this.usage = addUsage(this.usage, used);
      void session.log.append({ ...used, for: 'summary' });
    };
    face.busy(SUMMARISING);
    const result = await session.compact(model, { signal, hear, ...(wish === '' ? {} : { wish }) });
    desk.screen.print([interrupted.aborted ? 'the summary was interrupted; the conversation stays as it was' : compactionLine(result)]);
  }

  #count(event: RunEvent): void {
    if (event.kind === 'message') this.#unheard = without(this.#unheard, event.text);
    if (event.kind === 'usage') this.usage = addUsage(this.usage, event);
    if (event.kind === 'session' && event.notice !== undefined && this.#session.messages.length === 0)
      this.desk.screen.tell([{ text: event.notice, style: 'dim' }]);
  }
}

function without(texts: string[], text: string): string[] {
  const at = texts.indexOf(text);
  return at === -1 ? texts : texts.toSpliced(at, 1);
}
