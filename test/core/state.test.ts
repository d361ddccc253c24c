import { expect, onTestFinished, test } from 'vitest';
import { defineState } from 'pegboard';
import { startHost } from 'pegboard/testing';

test('M1.1 a slot is made when it is first read and is known by itself, not by its name', async () => {
  const { host, stop } = await startHost();
  onTestFinished(stop);
  let made = 0;
  const one = defineState('same name', () => ({ at: ++made }));
  const two = defineState('same name', () => ({ at: ++made }));
  const { state } = host.session();
  expect(made).toBe(0);
  expect(state.get(one)).toBe(state.get(one));
  expect(state.get(two)).not.toBe(state.get(one));
  expect(made).toBe(2);
});

test('M1.1 a slot whose value is undefined is made once as well', async () => {
  const { host, stop } = await startHost();
  onTestFinished(stop);
  let made = 0;
  const slot = defineState<undefined>('nothing', () => void made++);
  const { state } = host.session();
  state.get(slot);
  state.get(slot);
  expect(made).toBe(1);
});
