import { NO_SETTINGS, sandboxSettings, type SandboxSettings } from './options.ts';
import { findParts } from './missing-parts.ts';

/** What can be said of the sandbox without starting it. */
export interface SandboxReport {
  readonly mode: 'off' | 'on' | 'required';
  /** What is missing here and how that is mended; nothing where commands can run in it. */
  readonly missing?: string | undefined;
}

/** Looks whether commands could run in a sandbox here, and whether the settings want that. */
export async function examineSandbox(given: unknown, path: string | undefined): Promise<SandboxReport> {
  const { enabled, failIfUnavailable } = await settingsIn(given);
  const found = await findParts(path);
  const mode = !enabled ? 'off' : failIfUnavailable ? 'required' : 'on';
  return { mode, ...(found.kind === 'missing' ? { missing: found.why } : {}) };
}

async function settingsIn(given: unknown): Promise<SandboxSettings> {
  const checked = await sandboxSettings['~standard'].validate(given);
  return checked.issues === undefined ? checked.value : NO_SETTINGS;
}
