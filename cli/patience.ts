import type { Screen } from './screen.ts';

const PATIENCE_MS = 1_000;

/** Waits, and says for what where it takes longer than a second. */
export async function patiently<Value>(screen: Pick<Screen, 'tell'>, what: string, work: Promise<Value>): Promise<Value> {
  const notice = setTimeout(() => screen.tell([{ text: `… ${what}`, style: 'dim' }]), PATIENCE_MS);
  return work.finally(() => clearTimeout(notice));
}
