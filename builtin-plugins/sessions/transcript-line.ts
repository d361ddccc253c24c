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
    case 'message': {
      const message = loose(value['message']);
      return (message['role'] === 'user' || message['role'] === 'assistant') && areBlocks(message['content']);
    }
    case 'compacted':
      return Array.isArray(value['messages']) && value['messages'].every((message) => areBlocks(loose(message)['content']));
    case 'call': {
      const call = loose(value['call']);
      return typeof call['callId'] === 'string' && typeof call['tool'] === 'string' && areBlocks(value['blocks']);
    }
    case 'settled':
      return typeof value['callId'] === 'string' && areBlocks(loose(value['result'])['content']);
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

function areBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  const block = loose(value);
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'tool_use':
      return typeof block['id'] === 'string' && typeof block['name'] === 'string';
    case 'tool_result':
      return typeof block['tool_use_id'] === 'string' && areBlocks(block['content']);
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
