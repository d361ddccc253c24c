import type { ShellPlace } from '../working-directory.ts';
import type { SandboxRules } from './confinement.ts';

/** Where one run happens, settled at its start. */
export type Inside =
  | {
      readonly kind: 'sandboxed';
      /** The program and its arguments, put into the sandbox. */
      wrap(argv: readonly string[]): Promise<readonly string[]>;
      /** Variables that belong to it. */
      readonly env: Readonly<Record<string, string>>;
      /** To be called once it has ended; the answer is what has to be said about it. */
      done(): Promise<string | undefined>;
    }
  | { readonly kind: 'outside'; readonly notice?: string | undefined }
  | { readonly kind: 'refused'; readonly why: string };

/** The sandbox of a host, as the tools and the judge see it. */
export interface Sandbox {
  /** What the settings and this machine give; looked up once. */
  rules(): Promise<SandboxRules>;
  /** Opens it for a run inside, when it is first needed. What cannot be opened is a refusal and never a run outside. */
  open(place: ShellPlace, roots: readonly string[], signal: AbortSignal): Promise<Exclude<Inside, { readonly kind: 'outside' }>>;
  close(): Promise<void>;
}

/** Where the settings ask for none. */
export const NO_SANDBOX: Sandbox = {
  rules: async () => ({ mode: 'off', autoAllow: false, mayLeave: true, excluded: [], missing: undefined }),
  open: async () => ({ kind: 'refused', why: 'the sandbox is off' }),
  close: async () => undefined,
};
