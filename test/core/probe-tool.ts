import { defineTool, type Tool, type ToolDefinition, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

export interface ProbeInput {
  readonly text?: string;
  readonly count?: number;
}

/** A tool that takes a text and a number, says `ran` and remembers its inputs; everything else of it is cautious unless given. */
export function probeTool(
  name: string,
  given: Partial<Omit<ToolDefinition<ProbeInput>, 'call'>> = {},
  call: (input: ProbeInput, context: Parameters<Tool['call']>[1]) => ToolResult | string | Promise<ToolResult | string> = () => 'ran',
): Tool<ProbeInput> & { readonly inputs: readonly ProbeInput[] } {
  const inputs: ProbeInput[] = [];
  const tool = defineTool<ProbeInput>({
    description: `${name} is a probe.`,
    input: jsonSchema<ProbeInput>({
      type: 'object',
      properties: { text: { type: 'string' }, count: { type: 'integer' } },
      additionalProperties: false,
    }),
    ...given,
    name,
    call: async (input, context) => {
      inputs.push(input);
      return call(input, context);
    },
  });
  return { ...tool, inputs };
}
