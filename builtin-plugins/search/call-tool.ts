import { PegboardError, defineTool, errorResult, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

export interface CallToolInput {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** Calls a tool that is not among the tools of a request, where that list must never change. The pool hides it elsewhere. */
export const callTool = defineTool<CallToolInput>({
  name: 'CallTool',
  description:
    'Calls a tool whose definition ToolSearch gave. The arguments must fit its input_schema. Permission is asked for that tool as if it were called directly.',
  searchHint: 'call a tool that was found by a search',
  input: jsonSchema<CallToolInput>({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool as ToolSearch gave it' },
      arguments: { type: 'object', description: 'What its input_schema asks for' },
    },
    required: ['name'],
    additionalProperties: false,
  }),
  provides: ['tool-call'],
  alwaysLoad: true,
  /** The called tool's own limit is kept in `call`. */
  maxResultSizeChars: Infinity,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'the tool it calls is judged by itself' } }),
  display: { activity: ({ name }) => `Calling ${name}`, summary: ({ name }) => name },
  call: callOther,
});

async function callOther({ name, arguments: given = {} }: CallToolInput, context: ToolContext): Promise<ToolResult> {
  const tool = context.pool.get(name);
  if (tool?.provides.includes('tool-call')) return errorResult(new PegboardError('TOOL_NESTED', { tool: name }).message);
  const result = await context.call(name, given);
  return tool === undefined ? result : context.results.keep(context.callId, result, tool.maxResultSizeChars);
}
