import { nearest } from 'pegboard';

import { GUARD_EVENTS, HANDLER_FIELDS, HOOK_EVENTS } from './hook-events.data.ts';
import { quoted } from './ground.ts';
import { isObject, isText, own, type JsonObject } from './json.ts';

/** A map from events to groups of handlers, with nothing in it that has no meaning; or why there is none. */
export type ReadHooks =
  | { readonly kind: 'hooks'; readonly map: JsonObject; readonly notes: readonly string[] }
  /** None of these hooks counts. */
  | { readonly kind: 'left'; readonly cause: string }
  /** It may hold guards that cannot be understood: nothing of the plugin may count. */
  | { readonly kind: 'refused'; readonly cause: string };

/** Reads the value of a hooks file, where the map stands under `hooks`. */
export function readHooksFile(value: unknown): ReadHooks {
  if (!isObject(value)) return { kind: 'refused', cause: 'it is not an object' };
  const map = own(value, 'hooks');
  if (map !== undefined) return isObject(map) ? readHookMap(map) : { kind: 'refused', cause: '`hooks` is not a map from events to lists' };
  const guard = GUARD_EVENTS.find((event) => own(value, event) !== undefined);
  if (guard !== undefined) return { kind: 'refused', cause: `${guard} stands outside of \`hooks\`` };
  if (own(value, 'modules') !== undefined) return { kind: 'hooks', map: {}, notes: ['its `modules` are of a kind this host does not run'] };
  return { kind: 'left', cause: 'it has no `hooks`' };
}

/** Reads the map itself. Faults under an event that can stop something are refused; under any other, what has the fault is left out. */
export function readHookMap(map: JsonObject): ReadHooks {
  const notes: string[] = [];
  const kept: [string, readonly unknown[]][] = [];
  for (const [event, groups] of Object.entries(map)) {
    if (!HOOK_EVENTS.includes(event)) {
      const near = nearest(event, HOOK_EVENTS);
      notes.push(`${quoted(event)} is no event${near === undefined ? '' : ` (did you mean "${near}"?)`}, so its hooks never run`);
      continue;
    }
    const read = readGroups(groups);
    if (read.faults.length > 0 && GUARD_EVENTS.includes(event)) return { kind: 'refused', cause: `${event}: ${read.faults.join('; ')}` };
    notes.push(...read.faults.map((fault) => `${event}: ${fault}; it was left out`));
    if (read.groups.length > 0) kept.push([event, read.groups]);
  }
  return { kind: 'hooks', map: Object.fromEntries(kept), notes };
}

function readGroups(groups: unknown): { readonly groups: readonly unknown[]; readonly faults: readonly string[] } {
  if (!Array.isArray(groups)) return { groups: [], faults: ['its value is no list of groups'] };
  const read = groups.map((group: unknown, index) => readGroup(group, `group ${index + 1}`));
  return { groups: read.flatMap(({ group }) => group ?? []), faults: read.flatMap(({ faults }) => faults) };
}

function readGroup(group: unknown, name: string): { readonly group?: JsonObject; readonly faults: readonly string[] } {
  const handlers = own(group, 'hooks');
  if (!isObject(group) || !Array.isArray(handlers)) return { faults: [`${name} has no list \`hooks\``] };
  const matcher = own(group, 'matcher');
  if (matcher !== undefined && matcher !== null && !isText(matcher)) return { faults: [`the \`matcher\` of ${name} is no text`] };
  const faulty = handlers.flatMap((handler: unknown, index) => handlerFault(handler, `handler ${index + 1} of ${name}`) ?? []);
  const good = handlers.filter((handler: unknown) => handlerFault(handler, '') === undefined);
  return good.length === 0 ? { faults: faulty } : { group: { ...group, hooks: good }, faults: faulty };
}

function handlerFault(handler: unknown, name: string): string | undefined {
  const type = own(handler, 'type');
  if (!isText(type) || !Object.hasOwn(HANDLER_FIELDS, type))
    return `${name} has the type ${quoted(type)}, and there are ${Object.keys(HANDLER_FIELDS).join(', ')}`;
  const field = HANDLER_FIELDS[type] ?? '';
  return isText(own(handler, field)) ? undefined : `${name} has no \`${field}\``;
}
