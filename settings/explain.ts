import type { Place } from './layer.ts';

/** One key: what counts, where it stands, and what it won over. */
export type Explanation =
  | {
      readonly kind: 'value';
      readonly key: string;
      readonly value: unknown;
      readonly winner: Place;
      /** Highest first. `why` says what kept a value from counting that is not simply lower. */
      readonly losers: readonly { readonly place: Place; readonly value: unknown; readonly why: string }[];
    }
  /** A list that adds up over the layers. */
  | {
      readonly kind: 'list';
      readonly key: string;
      readonly items: readonly { readonly place: Place; readonly value: unknown }[];
      readonly left: readonly { readonly place: Place; readonly value: unknown; readonly why: string }[];
    };
