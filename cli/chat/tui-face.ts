import type { Asker } from 'pegboard';

import { shown, shownText } from '../render/shown.ts';
import type { Line, Screen } from '../screen.ts';
import type { Face, FaceOptions } from './face.ts';
import { foldBlock, linesBlock, saidBlock } from './tui-blocks.ts';
import { TuiCompletion } from './tui-complete.ts';
import {
  Container,
  Editor,
  Loader,
  Markdown,
  matchesKey,
  SelectList,
  setCapabilities,
  TUI,
  type Component,
  type Terminal,
} from './tui-parts.ts';
import { askByChoice, type Choose } from './tui-question.ts';
import { listTheme, markdownTheme, paint } from './tui-theme.ts';
import { TypedQueue } from './typed-queue.ts';

const EDITOR_THEME = { borderColor: paint.dim, selectList: listTheme };
const MOST_CHOICES = 10;
/** Keys that were meant for the line a question took the place of are no answer to it: those that come so soon, or right behind words. */
const TOO_SOON_MS = 400;

const DRAIN_MS = 200;

/** Where the chat is drawn. */
export interface TuiPlace {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly now: () => number;
}

/** A chat with an editor of several lines, answers as Markdown and questions to choose from. What is over scrolls away above, as in any terminal. */
export function openTuiFace(place: TuiPlace, options: FaceOptions): Face {
  return new TuiFace(place, options);
}

class TuiFace implements Face {
  readonly live = true;
  readonly asker: Asker;
  readonly #place: TuiPlace;
  readonly #over: AbortSignal;
  readonly #queue = new TypedQueue();
  readonly #tui: TUI;
  readonly #said = new Container();
  readonly #status = new Container();
  readonly #bottom = new Container();
  readonly #editor: Editor;
  readonly #restore: () => void;
  #answer: Markdown | undefined;
  #loader: Loader | undefined;
  #unfolded = false;
  /** Ends the question that is put, without an answer. */
  #dismiss: (() => void) | undefined;

  constructor(place: TuiPlace, options: FaceOptions) {
    this.#place = place;
    this.#over = options.signal;
    // A link shows where it leads, and nothing is drawn that is no text.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.#tui = new TUI(place.terminal);
    this.#editor = this.#newEditor((text) => {
      this.#editor.addToHistory(text);
      this.#add(saidBlock(text, () => this.#unfolded));
      this.#queue.add({ kind: 'line', text });
    });
    this.#editor.setAutocompleteProvider(new TuiCompletion(options));
    for (const part of [this.#said, this.#status, this.#bottom]) this.#tui.addChild(part);
    this.#show(this.#editor, [this.#editor]);
    this.asker = askByChoice({ choose: this.#choose, read: this.#read, fold: this.#folded, screen: place.screen });
    this.#restore = place.screen.divert((line) => this.#add(linesBlock([line])));
    this.#tui.addInputListener((keys) => (this.#takes(keys) ? { consume: true } : undefined));
    this.#over.addEventListener('abort', this.#ended, { once: true });
    // What was typed before stands on the line where the chat begins.
    place.terminal.write('\r\x1b[J');
    this.#tui.start();
  }

  typed() {
    return this.#queue.all();
  }
  answer(text: string): void {
    if (this.#answer === undefined) this.#add((this.#answer = new Markdown('', 0, 0, markdownTheme)));
    this.#answer.setText(shownText(text.replace(/[\ud800-\udbff\r]$/, '')));
    this.#tui.requestRender();
  }
  answered(text: string): void {
    this.answer(text);
    this.#answer = undefined;
  }
  fold(lines: readonly Line[], rest: readonly Line[]): void {
    if (!this.#place.screen.quiet) this.#folded(lines, rest);
  }
  busy(activity: string | undefined): void {
    if (activity === undefined) {
      this.#loader?.stop();
      this.#loader = undefined;
      this.#status.clear();
    } else if (this.#loader === undefined) {
      this.#loader = new Loader(this.#tui, paint.accent, paint.dim, statusOf(activity));
      if (!this.#dismiss) this.#status.addChild(this.#loader);
    } else this.#loader.setMessage(statusOf(activity));
    this.#tui.requestRender();
  }
  clear(): void {
    this.#said.clear();
    this.#tui.requestRender(true);
  }
  async close(): Promise<void> {
    this.#over.removeEventListener('abort', this.#ended);
    this.busy(undefined);
    this.#dismiss?.();
    this.#bottom.clear();
    this.#restore();
    this.#tui.requestRender();
    // Keys that are still on their way would go to the shell; meanwhile the last frame is drawn.
    await this.#place.terminal.drainInput(DRAIN_MS);
    this.#tui.stop();
    this.#queue.close();
  }

  readonly #ended = () => {
    this.#dismiss?.();
    this.#queue.add({ kind: 'end' });
  };

  readonly #folded = (lines: readonly Line[], rest: readonly Line[]) =>
    this.#add(rest.length === 0 ? linesBlock(lines) : foldBlock(lines, rest, () => this.#unfolded));

  /** Keys that mean the same whatever has them. */
  #takes(keys: string): boolean {
    const escape = matchesKey(keys, 'escape');
    if (escape || matchesKey(keys, 'ctrl+c')) return this.#interrupted(escape);
    if (matchesKey(keys, 'ctrl+o')) {
      this.#unfolded = !this.#unfolded;
      this.#tui.requestRender();
      return true;
    }
    if (!matchesKey(keys, 'ctrl+d') || this.#dismiss || this.#editor.getText() !== '') return false;
    this.#queue.add({ kind: 'end' });
    return true;
  }

  #interrupted(escape: boolean): boolean {
    if (this.#dismiss) this.#dismiss();
    else if (escape && this.#editor.isShowingAutocomplete()) return false;
    else if (escape) this.#queue.add({ kind: 'interrupt', leaves: false });
    else if (this.#editor.getText() === '') this.#queue.add({ kind: 'interrupt', leaves: true });
    else this.#editor.setText('');
    this.#tui.requestRender();
    return true;
  }

  #newEditor(submitted: (text: string) => void): Editor {
    const editor = new Editor(this.#tui, EDITOR_THEME, { autocompleteMaxVisible: MOST_CHOICES });
    editor.onSubmit = (text) => {
      if (text.trim() !== '') submitted(text);
    };
    return editor;
  }

  #add(block: Component): void {
    this.#said.addChild(block);
    this.#tui.requestRender();
  }

  #show(focused: Component, parts: readonly Component[]): void {
    this.#bottom.clear();
    for (const part of parts) this.#bottom.addChild(part);
    this.#tui.setFocus(focused);
    this.#tui.requestRender();
  }

  /** Puts something in the place of the editor, until it is answered, dismissed or over. */
  #instead(signal: AbortSignal, put: (settle: (answer: string) => void) => { focused: Component; parts: readonly Component[] }) {
    return new Promise<string | undefined>((resolve) => {
      if (signal.aborted || this.#over.aborted) return resolve(undefined);
      const settle = (answer?: string) => {
        signal.removeEventListener('abort', dismiss);
        this.#dismiss = undefined;
        if (this.#loader) this.#status.addChild(this.#loader);
        this.#show(this.#editor, [this.#editor]);
        resolve(answer);
      };
      const dismiss = () => settle();
      this.#dismiss = dismiss;
      signal.addEventListener('abort', dismiss, { once: true });
      // Nothing goes on: it is the person's turn.
      this.#status.clear();
      const { focused, parts } = put(settle);
      this.#show(focused, parts);
    });
  }

  readonly #choose: Choose = (items, signal) =>
    this.#instead(signal, (settle) => {
      const list = new SelectList([...items], MOST_CHOICES, listTheme, { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 48 });
      list.onSelect = ({ value }) => settle(value);
      let since = this.#place.now();
      const patient: Component = {
        render: (width) => list.render(width),
        invalidate: () => list.invalidate(),
        handleInput: (keys) => {
          const stray = /^[^\d\s\p{Cc}]+$/u.test(keys);
          const early = this.#place.now() - since < TOO_SOON_MS;
          if (stray) since = this.#place.now();
          if (stray || early) return;
          const nth = /^[1-9]$/.test(keys) ? items[Number(keys) - 1] : undefined;
          if (nth) settle(nth.value);
          else list.handleInput(keys);
          this.#tui.requestRender();
        },
      };
      return { focused: patient, parts: [patient] };
    });

  readonly #read = (prompt: string, signal: AbortSignal) =>
    this.#instead(signal, (settle) => {
      const editor = new Editor(this.#tui, EDITOR_THEME);
      editor.onSubmit = (text) => settle(text.trim());
      return { focused: editor, parts: [linesBlock([prompt]), editor] };
    });
}

function statusOf(activity: string): string {
  return `${shown(activity, 200)} · ESC interrupts`;
}
