/** The words a tool describes itself with to people (M1.6): terminal and web draw the same thing from them. */
export type Display =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'diff'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string };

/** Pure functions of a tool: same values, same picture. What a tool leaves out is drawn from its name, input and result. */
export interface ToolDisplay<Input> {
  userFacingName?(input: Input): string;
  use?(input: Input): Display;
  progress?(progress: unknown): Display;
  result?(input: Input, result: { readonly text: string; readonly structuredContent?: unknown }): Display;
  rejected?(input: Input, why: string): Display;
  error?(input: Input, why: string): Display;
  grouped?(inputs: readonly Input[]): Display;
  /** For a spinner: "Reading notes.txt". */
  activity?(input: Input): string;
  /** One line when the call is folded. */
  summary?(input: Input): string;
}
