import { Epoch } from './disclosure.ts';
import type { SessionRecord } from './journal.ts';
import type { Query } from './loop.ts';
import { textBlock } from './message.ts';
import type { ModelRequest } from './model.ts';
import type { Pool } from './pool.ts';
import { bytesReadAgain, compareReceipts, sameLength, takeReceipt, type Receipt } from './receipts.ts';
import { sourceNews, toldOfSources } from './source-news.ts';
import { revealed } from './search/revealed.ts';
import type { Session } from './session.ts';
import { heard } from './submit.ts';

const DEFAULT_MAX_TOKENS = 16_000;

/** What is sent next. It is written down before it is sent, and what was sent is never edited. */
export async function nextRequest(session: Session, pool: Pool, query: Query): Promise<ModelRequest> {
  const { model, system = '', maxTokens = DEFAULT_MAX_TOKENS, tokenBudget = Infinity } = query.options;
  const begun: SessionRecord[] = [];
  const anew = session.epoch === undefined;
  if (session.epoch === undefined) begun.push({ kind: 'epoch', epoch: (session.epoch = new Epoch(pool, model.strategy)).start });
  const { tools, builtins, announcement, fresh } = session.epoch.disclose(pool, session.state.get(revealed), session.announcementBytes);
  if (announcement) session.news.push(announcement);
  const servers = sourceNews(pool.sources, session.state.get(toldOfSources));
  if (servers) session.news.push(servers);
  await addNews(session, query, anew);
  const request = { system, tools, messages: session.messages, maxTokens: Math.max(1, Math.min(maxTokens, tokenBudget - query.tokens)) };
  const sent = tellReceipt(session, pool, takeReceipt(request, builtins, session.receipt), request, query);
  await session.log.append(...begun);
  await session.log.catchUp(session.messages, session.state);
  if (fresh) await session.log.append({ kind: 'disclosed', ...fresh });
  await session.log.append(sent);
  return request;
}

/** The person's waiting messages and all news go into the newest user message before it is first sent; a paused answer is sent back as it is, and they wait. */
async function addNews(session: Session, query: Query, anew: boolean): Promise<void> {
  const last = session.messages.at(-1);
  if (last?.role !== 'user') return;
  const { texts } = await heard(session, session.interrupts.take(), query);
  const added = [...texts, ...session.news.splice(0), ...session.reminders(anew)];
  if (added.length > 0)
    session.messages = session.messages.slice(0, -1).concat({ role: 'user', content: [...last.content, ...added.map(textBlock)] });
}

/** Gives what is written down of it. */
function tellReceipt(session: Session, pool: Pool, receipt: Receipt, { tools }: ModelRequest, { tell, options }: Query): SessionRecord {
  const before = session.receipt;
  session.receipt = receipt;
  const changes = before ? compareReceipts(before, receipt) : [];
  const readAgain = before ? bytesReadAgain(before, receipt) : 0;
  tell({
    kind: 'receipt',
    tools: tools.length,
    bytes: Buffer.byteLength(JSON.stringify(tools)),
    changes,
    readAgain,
    firstUse: firstUseOf(pool, new Set(tools.map(({ name }) => name))),
  });
  const same = sameLength(before ?? [], receipt);
  return { kind: 'request', model: options.model.name, same, segments: receipt.slice(same), changes, readAgain };
}

function firstUseOf({ sources }: Pool, sent: ReadonlySet<string>): readonly { readonly source: string; readonly ms: number }[] {
  return sources.flatMap(({ owner: source, status, tools, firstUseMs: ms }) =>
    status.kind === 'cached' && ms !== undefined && tools.some(({ name }) => sent.has(name)) ? [{ source, ms }] : [],
  );
}
