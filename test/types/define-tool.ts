/** What `defineTool` infers, and what must not compile. Compiled by `tsc`, never run. */
import { defineTool, textResult, type Tool, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { z } from 'zod';

const input = z.object({ city: z.string(), days: z.number().default(1) });

export const weather = defineTool({
  name: 'Weather',
  description: 'Tells the weather.',
  input,
  isReadOnly: ({ city }) => city.length > 0,
  isConcurrencySafe: ({ days }) => days.toFixed() === '1',
  call: async ({ city, days }, context) => {
    const words: string = `${city} ${days.toFixed()} ${context.workspace.cwd}`;
    return words;
  },
});

export const typed: readonly [Tool<{ city: string; days: number }>] = [weather];
/** Tools of different inputs live in one list, without `any`. */
export const list: readonly Tool[] = [
  weather,
  defineTool({ name: 'Ping', description: 'x', input: z.object({}), call: async () => textResult('pong') }),
];
export const result: Promise<ToolResult> = weather.call({ city: 'Oslo', days: 2 }, {} as Parameters<typeof weather.call>[1]);

export const plain = defineTool({
  name: 'Plain',
  description: 'x',
  input: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
  call: async ({ path }) => path.toUpperCase(),
});

// @ts-expect-error a tool takes four things: the description is missing
export const three = defineTool({ name: 'Three', input, call: async () => '' });

export const wrongMember = defineTool({
  name: 'Wrong',
  description: 'x',
  input,
  // @ts-expect-error the input has no such member
  isReadOnly: ({ town }) => town === '',
  call: async () => '',
});

export const wrongAnswer = defineTool({
  name: 'Wrong',
  description: 'x',
  input,
  // @ts-expect-error a number is no result
  call: async () => 7,
});

export const inline = defineTool({
  name: 'Inline',
  description: 'x',
  // @ts-expect-error a bare JSON Schema cannot check a value: wrap it in jsonSchema(…)
  input: { type: 'object' },
  call: async () => '',
});

// @ts-expect-error a tool is what it is: nobody changes it later
weather.name = 'Other';
// @ts-expect-error the city is missing
void weather.call({ days: 1 }, {} as Parameters<typeof weather.call>[1]);
