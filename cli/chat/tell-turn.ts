import type { RunEvent, ToolCall } from 'pegboard';

import { progressWords } from '../render/progress.ts';
import { againLine, compactionLine, usageLine } from '../render/run-event.ts';
import { shown } from '../render/shown.ts';
import type { Desk } from '../run-command.ts';
import { ENDED } from '../run-story.ts';
import { activityWords, callHead, resultBlock } from './call-words.ts';
import type { Face } from './face.ts';

/** What is being done, in the words of the line that says so. */
export const SUMMARISING = 'Summarising the conversation';
export const ASKING_AGAIN = 'Waiting to ask again';
const THINKING = 'Waiting for the answer';
const ANSWERING = 'Answering';

/** Tells a person what happens in a run, event by event. */
export class TurnTeller {
  readonly #face: Face;
  readonly #desk: Desk;
  /** Of the text that is being written. */
  #text = '';
  /** Calls that have no result yet, and what they do. */
  readonly #calls = new Map<string, string>();

  constructor(face: Face, desk: Desk) {
    this.#face = face;
    this.#desk = desk;
  }

  tell(event: RunEvent): void {
    const { screen, host } = this.#desk;
    switch (event.kind) {
      case 'session':
        return this.#face.busy(THINKING);
      case 'message':
        if (event.refused !== undefined) screen.warn(`a hook kept the message out: ${event.refused}`);
        return this.#face.busy(THINKING);
      case 'text':
        return this.#write(event);
      case 'retry':
        if (this.#text !== '') screen.tell([{ text: 'what stands above of this answer is void', style: 'yellow' }]);
        this.#whole();
        screen.tell(againLine(event));
        return this.#face.busy(ASKING_AGAIN);
      case 'tool_use':
        this.#whole();
        return this.#runs(event.call);
      case 'decision':
        if (event.decision.kind === 'allow') screen.debug(`${event.call.tool} allowed at step ${event.decision.step}`);
        return;
      case 'progress':
        return this.#face.busy(
          `${this.#calls.get(event.call.callId) ?? event.call.tool}: ${progressWords(event.progress, host.pool().get(event.call.tool), screen.width)}`,
        );
      case 'tool_result': {
        const { call } = event.settled;
        this.#calls.delete(call.callId);
        const [lines, rest] = resultBlock(event.settled, this.#desk, screen.width);
        this.#face.fold([callHead(host.pool().get(call.tool), call), ...lines], rest);
        return this.#face.busy([...this.#calls.values()].at(-1) ?? THINKING);
      }
      case 'receipt':
        return screen.debug(`request: ${event.tools} definitions, ${event.bytes} bytes, ${event.readAgain} read again`);
      case 'compacting':
        return this.#face.busy(SUMMARISING);
      case 'compaction':
        return screen.tell([{ text: compactionLine(event.result), style: 'dim' }]);
      case 'usage':
        return screen.debug(usageLine(event.usage, event.usd));
      case 'end':
        this.#whole();
        this.#calls.clear();
        if (event.reason !== 'completed') screen.warn([{ text: shown(event.message ?? ENDED[event.reason], 2_000), style: 'yellow' }]);
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
    else {
      this.#face.answer(this.#text);
      this.#face.busy(ANSWERING);
    }
  }

  #runs(call: ToolCall): void {
    const words = activityWords(this.#desk.host.pool().get(call.tool), call);
    this.#calls.set(call.callId, words);
    this.#face.busy(words);
  }
}
