import type { Tool } from './tool.ts';

/** A tool as the Messages API takes it. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly [keyword: string]: unknown };
  readonly strict?: true;
  readonly defer_loading?: true;
}

/** The definition a model is sent: the same tool object always gives the same object, so its bytes never change within a session. */
export function wireTool(tool: Tool): WireTool {
  let wire = definitions.get(tool);
  if (wire === undefined) {
    wire = Object.freeze({
      name: tool.name,
      description: tool.description,
      // A copy: whoever made the tool may write into its schema, and what was sent must not change.
      input_schema: JSON.parse(JSON.stringify(tool.inputSchema)) as WireTool['input_schema'],
      ...(tool.strict ? { strict: true as const } : {}),
    });
    definitions.set(tool, wire);
  }
  return wire;
}

/** UTF-8 bytes of a tool's serialised definition. */
export function wireBytes(tool: Tool): number {
  let bytes = sizes.get(tool);
  if (bytes === undefined) {
    bytes = Buffer.byteLength(JSON.stringify(wireTool(tool)));
    sizes.set(tool, bytes);
  }
  return bytes;
}

/** An estimate good enough to choose by; JSON is denser in tokens than prose (dependencies.md, row 10). */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 2.4);
}

// Memos of pure functions over frozen objects, not state: an entry goes when its tool goes.
const definitions = new WeakMap<Tool, WireTool>();
const sizes = new WeakMap<Tool, number>();
