import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, test, vi } from 'vitest';

import { headlessAsker, type ChoiceQuestion, type Model, type ModelEvent, type ModelRequest } from 'pegboard';

import { Chat } from '../../cli/chat/chat.ts';
import { openReadlineFace } from '../../cli/chat/readline-face.ts';
import { builtinPlugins, commands } from 'pegboard/builtin-plugins';
import { skills } from 'pegboard/skills';
import { talk } from '../../cli/chat/talk.ts';
import { modelOrOffline } from '../../cli/commands/chat.ts';
import type { Desk } from '../../cli/run-command.ts';
import { startHost, type StartedHost } from '../support/start-host.ts';
import { fakeTerminal, type FakeTerminal } from './chat-terminal.ts';

/** A model that says the first word of each answer and then waits to be released or stopped. */
function slowModel(): Model & { readonly requests: ModelRequest[]; release(): void } {
  const requests: ModelRequest[] = [];
  let release = (): void => undefined;
  return {
    name: 'slow',
    strategy: 'append',
    contextTokens: 200_000,
    requests,
    release: () => release(),
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      requests.push(request);
      const text = `answer ${requests.length}`;
      yield { kind: 'delta', text };
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      yield { kind: 'block', block: { type: 'text', text } };
      yield { kind: 'stop', reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 2 } };
    },
  };
}

let started: StartedHost;
let terminal: FakeTerminal;
let model: ReturnType<typeof slowModel>;
let chat: Chat;
let ended: Promise<unknown>;
let close: () => Promise<void>;
beforeEach(async () => {
  started = await startHost({ builtins: builtinPlugins() });
  terminal = fakeTerminal();
  model = slowModel();
  const { signal } = new AbortController();
  const stop = { signal, code: undefined, interrupt: () => undefined, first: () => () => undefined };
  const { host } = started;
  const about = { host, screen: terminal.screen, stop, problems: [], report: () => undefined };
  const desk = { ...about, commands: commands(), skills: skills(), settings: () => ({ values: {} }) } as unknown as Desk;
  const face = openReadlineFace({ ...terminal, now: () => 0 }, { cwd: host.cwd, commands: [], signal });
  chat = new Chat(desk, face, model, undefined);
  ended = talk(chat);
  close = async () => {
    await chat.close();
    await face.close();
    await started.stop();
  };
});
afterEach(() => close());

const said = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);

test('M7.1 what is said while an answer is made is heard after it, in the same conversation', async () => {
  terminal.press('first\r');
  await terminal.shows('answer 1');
  terminal.press('second\r');
  await terminal.shows('> second');
  model.release();
  await terminal.shows('answer 2');
  assert.match(said(model.requests[1]), /first.*answer 1.*second/);
  model.release();
});

test('M7.1 ESC stops the answer, the chat says so and goes on; twice Ctrl-C leaves it', async () => {
  terminal.press('first\r');
  await terminal.shows('answer 1');
  terminal.press('\x1b');
  await terminal.shows('the run was interrupted while the model answered');
  terminal.press('again\r');
  await terminal.shows('answer 2');
  assert.match(said(model.requests[1]), /first.*again/);
  terminal.press('\x03');
  await terminal.shows(/interrupted[^]*interrupted/);
  terminal.press('\x03');
  await terminal.shows('Once more');
  terminal.press('\x03');
  assert.equal(await ended, 0);
});

test('M7.1 what was said before an interrupt is not lost: it goes with what is said next', async () => {
  terminal.press('first\r');
  await terminal.shows('answer 1');
  terminal.press('and this\r');
  await terminal.shows('> and this');
  terminal.press('\x1b');
  await terminal.shows('What you said last waits');
  terminal.press('now\r');
  await terminal.shows('answer 2');
  assert.match(said(model.requests[1]), /and this.*now/);
});

test('commands that end the conversation wait for an interrupt; others answer while a run goes on', async () => {
  terminal.press('first\r');
  await terminal.shows('answer 1');
  terminal.press('/clear\r');
  await terminal.shows('/clear cannot be given while something runs');
  terminal.press('/tasks\r');
  await terminal.shows('no tasks');
  terminal.press('/exit\r');
  assert.equal(await ended, 0);
});

test('a model that is being opened is left by ESC, and the one before answers what was said meanwhile', async () => {
  const endpoint = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  vi.stubEnv('ANTHROPIC_BASE_URL', `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`);
  try {
    const asked = once(endpoint, 'request');
    terminal.press('/model other\r');
    await asked;
    await terminal.shows('Opening the model');
    terminal.press('first\r');
    await terminal.shows('> first');
    terminal.press('\x1b');
    await terminal.shows('other was not opened; slow answers as before');
    await terminal.shows('answer 1');
    assert.match(said(model.requests[0]), /first/);
    model.release();
  } finally {
    vi.unstubAllEnvs();
    endpoint.closeAllConnections();
    endpoint.close();
  }
});

describe('/compact', () => {
  beforeEach(async () => {
    terminal.press('first\r');
    await terminal.shows('answer 1');
    model.release();
    await chat.ended();
  });

  test('says what it does, goes on from the summary with what was said meanwhile, and counts what it used', async () => {
    terminal.press('/compact the boxes\r');
    await terminal.shows('Summarising the conversation');
    terminal.press('second\r');
    await terminal.shows('> second');
    model.release();
    await terminal.shows('the conversation was summarised');
    await terminal.shows('answer 3');
    assert.match(said(model.requests[1]), /keep this: the boxes/);
    assert.match(said(model.requests[2]), /answer 2.*second/);
    assert.equal(chat.usage.input_tokens, 20);
  });

  test('is interrupted by ESC, and then the conversation stays as it was', async () => {
    terminal.press('/compact\r');
    await terminal.shows('Summarising the conversation');
    terminal.press('\x1b');
    await terminal.shows('the summary was interrupted; the conversation stays as it was');
    terminal.press('second\r');
    await terminal.shows('answer 3');
    assert.match(said(model.requests[2]), /first.*answer 1.*second/);
  });

  test('says that it waits, for how long and why', async () => {
    const waits: ModelEvent = { kind: 'again', why: '529: overloaded', waitMs: 20_000 };
    chat.model = {
      ...model,
      async *stream(_request, signal) {
        yield waits;
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    };
    terminal.press('/compact\r');
    await terminal.shows('the model is asked again in 20 s: 529: overloaded');
    await terminal.shows('Waiting to ask again');
    assert.ok(chat.runs);
  });
});

test.each([
  { says: 'yes', goes: 'on' },
  { says: 'no', goes: 'nowhere' },
])(
  'without a credential a person is told what to set and offered the offline driver, which is taken only on a yes: $says',
  async ({ says, goes }) => {
    const asked: string[] = [];
    const asker = {
      ...headlessAsker,
      question: async ({ text }: ChoiceQuestion) => (asked.push(text), { kind: 'answer' as const, text: says }),
    };
    const { host } = started;
    const signal = AbortSignal.abort();
    const desk = { host, screen: terminal.screen, stop: { signal, code: undefined }, settings: () => ({ values: {} }) } as unknown as Desk;
    const chosen = await modelOrOffline({ home: host.home, signal, env: {} }, asker, desk);
    assert.equal(chosen?.name, goes === 'on' ? 'offline' : undefined);
    assert.match(asked.join(), /Set ANTHROPIC_API_KEY.*--model offline[^]*offline driver now\?/);
  },
);
