/** What a tool says on the wire is an MCP tool, in both lines of the SDK, with no cast. Compiled by `tsc`, never run. */
import type { Tool as ClientTool } from '@modelcontextprotocol/client';
import type { Tool as FormerTool } from '@modelcontextprotocol/sdk/types.js';
import type { Tool, ToolAnnotations, ToolSpec } from 'pegboard';

declare const ours: Tool;
declare const client: ClientTool;
declare const former: FormerTool;

export const toClient: ClientTool = ours;
export const fromClient: ToolSpec = client;
export const fromFormer: ToolSpec = former;
export const hintsFromClient: ToolAnnotations | undefined = client.annotations;

/** The former line knows only outputs that are objects; the protocol of 2026-07-28, and we, know any. */
declare const withoutOutput: Omit<Tool, 'outputSchema'>;
export const toFormer: FormerTool = withoutOutput;

// @ts-expect-error a spec has no defaults, so it is not yet a tool of ours
export const notYet: readonly [Tool] = [fromClient];
// @ts-expect-error a tool without an input schema is none
export const noSchema: ToolSpec = { name: 'x' };
