import type { RunEvent } from 'pegboard';

import { Activity } from '../activity.ts';
import { againLine, compactionLine, usageLine } from '../render/run-event.ts';
import { shown } from '../render/shown.ts';
import type { Desk } from '../run-command.ts';
import { ENDED } from '../run-story.ts';
import { callHead, resultBlock } from './call-words.ts';
import type { Face } from './face.ts';

/** Tells a person what happens in a run, event by event. */
export class TurnTeller {
  readonly #face: Face;
  readonly #desk: Desk;
  /** Of the text that is being written. */
  #text = '';
  readonly #activity: Activity;

  constructor(face: Face, desk: Desk) {
    this.#face = face;
    this.#desk = desk;
    this.#activity = new Activity(desk.host);
  }

  tell(event: RunEvent): void {
    this.#show(event);
    this.#face.busy(this.#activity.after(event, this.#desk.screen.width));
  }

  #show(event: RunEvent): void {
    const { screen, host } = this.#desk;
    switch (event.kind) {
      case 'message':
        if (event.refused !== undefined) screen.warn(`a hook kept the message out: ${event.refused}`);
        return;
      case 'text':
        return this.#write(event);
      case 'retry':
        if (this.#text !== '') screen.tell([{ text: 'what stands above of this answer is void', style: 'yellow' }]);
        this.#whole();
        return screen.tell(againLine(event));
      case 'tool_use':
        return this.#whole();
      case 'decision':
        if (event.decision.kind === 'allow') screen.debug(`${event.call.tool} allowed at step ${event.decision.step}`);
        return;
      case 'tool_result': {
        const { call } = event.settled;
        const [lines, rest] = resultBlock(event.settled, this.#desk, screen.width);
        return this.#face.fold([callHead(host.pool().get(call.tool), call), ...lines], rest);
      }
      case 'receipt':
        return screen.debug(`request: ${event.tools} definitions, ${event.bytes} bytes, ${event.readAgain} read again`);
      case 'compaction':
        return screen.tell([{ text: compactionLine(event.result), style: 'dim' }]);
      case 'usage':
        return screen.debug(usageLine(event.usage, event.usd));
      case 'end':
        this.#whole();
        if (event.reason !== 'completed') screen.warn([{ text: shown(event.message ?? ENDED[event.reason], 2_000), style: 'yellow' }]);
        return;
      case 'session':
      case 'progress':
      case 'compacting':
        return;
    }
  }

  /** What came of an answer stays as it is. */
  #whole(): void {
    if (this.#text !== '') this.#face.answered(this.#text);
    this.#text = '';
  }

  /** A model may write a text in pieces and then whole, or only whole. */
  #write({ text, done }: Extract<RunEvent, { kind: 'text' }>): void {
    this.#text = done ? text : this.#text + text;
    if (done) this.#whole();
    else this.#face.answer(this.#text);
  }
}
