import { causeText } from '../errors.ts';
import { MODES, type Ask, type Opinion } from './decision.ts';
import type { Question } from './pipeline.ts';

/** What a tool says of a call. A check that crashes counts as ask, and so does an answer nobody can read: a misspelt deny must not pass for no opinion. */
export async function opinionOf({ tool, context }: Pick<Question, 'tool' | 'context'>, input: unknown): Promise<Opinion> {
  const asks = (detail: string): Ask => ({ kind: 'ask', reason: { by: 'tool', detail }, message: detail });
  try {
    const opinion: unknown = await tool.checkPermissions(input, context);
    const isRead = isObject(opinion) && (opinion['kind'] === 'passthrough' || isDecision(opinion, DEEPEST));
    return isRead ? (opinion as unknown as Opinion) : asks('its permission check gave an answer that cannot be read');
  } catch (cause) {
    return asks(`its permission check crashed: ${causeText(cause)}`);
  }
}

/** How many parts may have parts. */
const DEEPEST = 50;
const MODE_NAMES: ReadonlySet<unknown> = new Set(MODES);
const GUARDS: ReadonlySet<unknown> = new Set(['G1', 'G3', 'G4', 'G6']);

function isDecision(value: unknown, left: number): boolean {
  if (!isObject(value) || !isReason(value['reason'], left)) return false;
  const { kind, message } = value;
  return kind === 'allow' || ((kind === 'ask' || kind === 'deny') && isText(message));
}

/** A tool speaks for itself, for rules, for guards, for a mode, and for the parts of a call: a reason that names a person, a flag or a hook would make the record untrue. */
function isReason(value: unknown, left: number): boolean {
  if (!isObject(value) || left === 0) return false;
  switch (value['by']) {
    case 'tool':
    case 'sandbox':
      return isText(value['detail']);
    case 'rule':
      return isText(value['rule']) && 'source' in value;
    case 'guard':
      return GUARDS.has(value['guard']) && isText(value['path']) && isText(value['detail']);
    case 'mode':
      return MODE_NAMES.has(value['mode']) && isText(value['detail']);
    case 'parts':
      return (
        Array.isArray(value['parts']) &&
        value['parts'].length > 0 &&
        value['parts'].every((part: unknown) => isObject(part) && isText(part['part']) && isDecision(part['decision'], left - 1))
      );
    case 'no-rule':
      return true;
    default:
      return false;
  }
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
