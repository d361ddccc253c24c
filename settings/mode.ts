/** The permission modes (M4.2). */
export const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto', 'dontAsk', 'bubble'] as const;

export type Mode = (typeof MODES)[number];
