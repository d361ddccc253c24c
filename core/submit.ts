import type { End, Query } from './loop.ts';
import { textBlock } from './message.ts';
import { boundWords } from './results/preview.ts';
import type { Session } from './session.ts';

/** The person's messages enter the history, unless a hook stops them. */
export async function submit(session: Session, prompts: readonly string[], query: Query): Promise<End | undefined> {
  const { texts, refused } = await heard(session, prompts, query);
  if (texts.length === 0) return { reason: 'stopped', message: refused ?? 'The message is empty.' };
  const started =
    session.messages.length === 0 ? await session.hooks.transform('session.start', [], { pool: session.pool(), session: session.id }) : [];
  const [first = '', ...rest] = texts;
  const words = [first, ...started.map(boundWords), ...rest].filter((text) => text.trim() !== '');
  session.add({ role: 'user', content: [...words.map(textBlock), ...(query.options.attached ?? [])] });
  return undefined;
}

/** What of some messages a model is told, with what hooks add to them. */
export async function heard(
  session: Session,
  prompts: readonly string[],
  { tell }: Pick<Query, 'tell'>,
): Promise<{ readonly texts: readonly string[]; readonly refused?: string | undefined }> {
  const texts: string[] = [];
  let refused: string | undefined;
  for (const text of prompts.filter((prompt) => prompt.trim() !== '')) {
    const verdict = await session.hooks.decide('prompt.submit', { text, session: session.id });
    const stopped = verdict?.kind === 'deny' || verdict?.kind === 'ask' ? verdict.reason : undefined;
    tell({ kind: 'message', text, refused: stopped });
    if (stopped === undefined) texts.push(text, ...(verdict?.context?.trim() ? [boundWords(verdict.context)] : []));
    refused ??= stopped;
  }
  return { texts, refused };
}
