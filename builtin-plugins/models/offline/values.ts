import { asRecord } from './conversation.ts';
import type { Format, Parameter, ParameterType } from './parameters.ts';
import { currencyOf, numberOf, type Piece, type PieceKind } from './request.ts';

/** A value that fits, and how well. */
export interface Fitting {
  readonly value: unknown;
  readonly fit: number;
  /** The piece has another meaning beside this one, which is not used up: the sign of an amount. */
  readonly beside?: true;
}

/** What a piece means to a type, and how well its looks fit it. */
export function valueOf(piece: Piece, type: ParameterType, parameter: Parameter): Fitting | undefined {
  switch (type.kind) {
    case 'number': {
      const number = numberOf(piece);
      const fits = number !== undefined && number >= type.least && number <= type.most && (!type.whole || Number.isInteger(number));
      return fits ? { value: number, fit: piece.kind === 'word' ? 3 : 6 } : undefined;
    }
    case 'boolean':
      return piece.key === undefined ? undefined : truthOf(String(piece.value));
    case 'object':
      return asRecord(piece.value) ? { value: piece.value, fit: 8 } : undefined;
    case 'list':
      return Array.isArray(piece.value) ? { value: piece.value, fit: 9 } : undefined;
    case 'choice': {
      const chosen = type.values.find((each) => String(each).toLowerCase() === String(piece.value).toLowerCase());
      return chosen === undefined ? undefined : { value: chosen, fit: 8 };
    }
    case 'anything':
      return piece.kind === 'word' || piece.kind === 'mark' ? undefined : { value: piece.value, fit: piece.kind === 'quoted' ? 4 : 2 };
    case 'string':
      return textFitting(piece, type, parameter);
  }
}

function truthOf(text: string): Fitting | undefined {
  if (/^(true|yes|on|1)$/i.test(text)) return { value: true, fit: 8 };
  return /^(false|no|off|0)$/i.test(text) ? { value: false, fit: 8 } : undefined;
}

type Fits = Partial<Readonly<Record<PieceKind, number>>>;

/** How well what a piece looks like fits what a text parameter holds. What is not named does not fit. */
const TEXT_FITS: Readonly<Record<Format, Fits>> = {
  url: { url: 8, dotted: 3, quoted: 2 },
  email: { email: 8, quoted: 1 },
  date: { date: 8, quoted: 2 },
  datetime: { date: 7, time: 3, quoted: 2 },
  instant: {},
  time: { time: 8, quoted: 2 },
  uuid: { id: 8, quoted: 8 },
  path: { path: 8, dotted: 7, quoted: 4, glob: 2, id: 1 },
  pattern: { glob: 8, quoted: 5, path: 2, dotted: 2, id: 2 },
  id: { id: 6, number: 5, code: 3, mention: 3, quoted: 3, path: 2, email: 1, dotted: 1, url: 1 },
  code: { code: 8, quoted: 3, id: 1 },
  free: { quoted: 5, mention: 3, id: 2, code: 2, email: 1.5, path: 1.5, dotted: 1.5, date: 1, time: 1, url: 0.5, number: 0.5, glob: 0.5 },
};

function textFitting(piece: Piece, { format, least, most }: ParameterType & { kind: 'string' }, parameter: Parameter): Fitting | undefined {
  if (format === 'uuid' && !UUID.test(String(piece.value))) return undefined;
  if (format === 'id' && piece.kind === 'path' && /^[/~.\\]|^[A-Z]:/.test(piece.text)) return undefined;
  const currency = parameter.words.has('currency') ? currencyOf(piece) : undefined;
  if (currency !== undefined) return { value: currency, fit: 6, beside: true };
  const fit = TEXT_FITS[format][piece.kind] ?? (piece.key === undefined ? undefined : 1);
  if (fit === undefined) return undefined;
  const value = piece.kind === 'number' && piece.key === undefined ? piece.text.replace(/^#/, '') : String(piece.value);
  return value.length >= least && value.length <= most ? { value, fit } : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
