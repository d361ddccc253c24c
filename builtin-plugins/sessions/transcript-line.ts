import type { SessionRecord } from 'pegboard';

const VERSION = 1;

/** The first line of a transcript. */
export interface TranscriptHead {
  readonly id: string;
  /** Where the session works. */
  readonly cwd: string;
  /** The type of the agent whose session it is. */
  readonly agent: string;
  /** When it was begun, milliseconds since 1970. */
  readonly at: number;
}

export type TranscriptLine =
  { readonly kind: 'head'; readonly head: TranscriptHead } | { readonly kind: 'record'; readonly record: SessionRecord };

/** A head as a line, with its line break. */
export function headLine(head: TranscriptHead): string {
  return `${JSON.stringify({ kind: 'session', version: VERSION, ...head })}\n`;
}

/** A record as a line, with its line break. */
export function recordLine(record: SessionRecord, at: number): string {
  return `${JSON.stringify({ at, ...record })}\n`;
}

/** What a line says; nothing for one that was torn by a crash, damaged, or written by another version. */
export function parseLine(line: string): TranscriptLine | undefined {
  let value: Loose;
  try {
    value = (JSON.parse(line) ?? {}) as Loose;
  } catch {
    return undefined;
  }
  if (value['kind'] === 'session') return isHead(value) ? { kind: 'head', head: headOf(value) } : undefined;
  return isRecord(value) ? { kind: 'record', record: value as unknown as SessionRecord } : undefined;
}

type Loose = Readonly<Record<string, unknown>>;

function isHead(value: Loose): boolean {
  const texts = [value['id'], value['cwd'], value['agent']];
  return value['version'] === VERSION && texts.every((text) => typeof text === 'string') && typeof value['at'] === 'number';
}

function headOf({ id, cwd, agent, at }: Loose): TranscriptHead {
  return { id: id as string, cwd: cwd as string, agent: agent as string, at: at as number };
}

function isRecord(value: Loose): boolean {
  switch (value['kind']) {
    case 'message':
      return isMessage(value['message']);
    case 'compacted':
      return Array.isArray(value['messages']) && value['messages'].every(isMessage);
    case 'call': {
      const call = loose(value['call']);
      return typeof call['callId'] === 'string' && typeof call['tool'] === 'string' && areBlocks(value['blocks'], isAnswer);
    }
    case 'settled':
      return typeof value['callId'] === 'string' && areBlocks(loose(value['result'])['content'], isResult);
    case 'state':
      return typeof value['slot'] === 'string' && value['value'] !== undefined;
    case 'epoch': {
      const epoch = loose(value['epoch']);
      return typeof epoch['strategy'] === 'string' && typeof epoch['builtins'] === 'number' && areNamed(epoch['loaded']);
    }
    case 'request':
      return (
        typeof value['same'] === 'number' &&
        typeof value['readAgain'] === 'number' &&
        areSegments(value['segments']) &&
        areChanges(value['changes'])
      );
    case 'usage':
      return typeof loose(value['usage'])['input_tokens'] === 'number' && typeof loose(value['usage'])['output_tokens'] === 'number';
    case 'disclosed':
      return areNamed(value['revealed']) && [value['added'], value['gone'], value['back']].every(areTexts);
    default:
      return false;
  }
}

function loose(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

function isMessage(value: unknown): boolean {
  const { role, content } = loose(value);
  if (role === 'user') return areBlocks(content, isGiven);
  return role === 'assistant' && areBlocks(content, isAnswer);
}

function areBlocks(value: unknown, isOne: (block: Loose) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => isOne(loose(each)));
}

/** What a result is made of. */
function isResult(block: Loose): boolean {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
      return typeof loose(block['source'])['data'] === 'string';
    default:
      return block['type'] === 'tool_reference' && typeof block['tool_name'] === 'string';
  }
}

/** What a message of the user is made of. */
function isGiven(block: Loose): boolean {
  if (block['type'] !== 'tool_result') return block['type'] !== 'tool_reference' && isResult(block);
  return typeof block['tool_use_id'] === 'string' && areBlocks(block['content'], isResult);
}

/** What an answer is made of; what an endpoint did by itself is in its own words. */
function isAnswer(block: Loose): boolean {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'tool_use':
      return typeof block['id'] === 'string' && typeof block['name'] === 'string';
    case 'image':
    case 'tool_result':
    case 'tool_reference':
      return false;
    default:
      return typeof block['type'] === 'string';
  }
}

function areNamed(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof loose(each)['name'] === 'string');
}

function areSegments(value: unknown): boolean {
  return areNamed(value) && (value as readonly Loose[]).every(({ bytes, hash }) => typeof bytes === 'number' && typeof hash === 'string');
}

function areChanges(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((each) => typeof loose(each)['segment'] === 'string' && typeof loose(each)['bytes'] === 'number')
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
