import { parametersOf, type Format, type Parameter, type ParameterType } from './parameters.ts';

const MOST_DEPTH = 4;

/** How a value of a parameter is written in a request: `entities=[{"name":"…"}]`. Written like this, it fits the schema. */
export function exampleOf({ key, type }: Parameter): string {
  return `${key}=${JSON.stringify(exampleValue(type, 0))}`;
}

/** The values a parameter chooses from, for people; nothing where it is free. */
export function choicesOf({ type }: Parameter): string {
  const inner = type.kind === 'list' ? type.item : type;
  return inner.kind === 'choice' && inner.values.length > 1 ? inner.values.slice(0, 12).map(String).join(', ') : '';
}

function exampleValue(type: ParameterType, depth: number): unknown {
  switch (type.kind) {
    case 'string':
      return exampleText(type.format, type.least, type.most);
    case 'number':
      return exampleNumber(type);
    case 'boolean':
      return true;
    case 'choice':
      return type.values.find((value) => value !== null) ?? null;
    case 'list':
      return Array.from({ length: Math.max(1, Math.min(type.least, 5)) }, () => exampleValue(type.item, depth + 1));
    case 'object': {
      const parameters = depth < MOST_DEPTH ? parametersOf(type.schema) : [];
      const needed = parameters.filter(({ required }) => required);
      const shown = needed.length > 0 ? needed : parameters.slice(0, 1);
      return Object.fromEntries(shown.map(({ key, type: inner }) => [key, exampleValue(inner, depth + 1)]));
    }
    case 'anything':
      return '…';
  }
}

/** 1 where it lies inside the bounds, and otherwise something that does: a bound itself may be left out. */
function exampleNumber({ whole, least, most }: ParameterType & { kind: 'number' }): number {
  if (least < 1 && 1 < most) return 1;
  const inside = Number.isFinite(least) && Number.isFinite(most) ? (least + most) / 2 : Number.isFinite(least) ? least + 1 : most - 1;
  return whole ? Math.floor(inside) : inside;
}

const TEXTS: Partial<Readonly<Record<Format, string>>> = {
  url: 'https://example.org',
  email: 'name@example.org',
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00',
  instant: '2026-01-31T12:00:00Z',
  time: '12:00:00',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function exampleText(format: Format, least: number, most: number): string {
  const text = TEXTS[format] ?? '…';
  return text.length > most ? text.slice(0, most) : text.padEnd(Math.min(least, 100), '…');
}
