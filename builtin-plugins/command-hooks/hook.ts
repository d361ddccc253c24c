/** What a hook does. */
export type Action =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** Given to it as they are; without them the command goes through a shell. */
      readonly args: readonly string[] | undefined;
      readonly shell: 'sh' | 'bash' | 'pwsh';
      /** Nobody waits for it, and it decides nothing. */
      readonly async: boolean;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Variables that may stand in a header. */
      readonly allowedVariables: readonly string[];
    }
  | { readonly kind: 'mcp_tool'; readonly server: string; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'agent'; readonly prompt: string };

/** Whose hooks they are. */
export interface HookSource {
  /** `settings`, or the plugin's name. */
  readonly name: string;
  /** Where they stand, for messages. */
  readonly origin: string;
  /** For `${NAME}`, and beside the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** For its processes only, secrets included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly trusted: boolean;
  /** The only conversation in which they count. */
  readonly session?: string | undefined;
}

/** One hook, as it was written. */
export interface Hook {
  readonly event: string;
  readonly matcher: string;
  /** A permission rule: it is meant for calls that this covers. */
  readonly when: string | undefined;
  readonly action: Action;
  readonly limitMs: number;
  readonly source: HookSource;
}

const LABEL_CHARS = 80;

/** How a hook is named to people. */
export function labelOf({ action }: Pick<Hook, 'action'>): string {
  const text = wordsOf(action).replaceAll(/\s+/g, ' ').trim();
  return text.length > LABEL_CHARS ? `${text.slice(0, LABEL_CHARS - 1)}…` : text;
}

function wordsOf(action: Action): string {
  switch (action.kind) {
    case 'command':
      return [action.command, ...(action.args ?? [])].join(' ');
    case 'http':
      return action.url;
    case 'mcp_tool':
      return `${action.server}: ${action.tool}`;
    case 'prompt':
    case 'agent':
      return `${action.kind}: ${action.prompt}`;
  }
}
