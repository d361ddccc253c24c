/** A host's decision about something that is no call of a tool, and why. */
export interface Judgement {
  readonly kind: 'allow' | 'ask' | 'deny';
  readonly why: string;
}
