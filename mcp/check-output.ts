import { oneLine, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { isObject } from './json.ts';

const COMPLAINT_CHARS = 500;

/**
 * Compares results with what the tool's output schema promises. One that does not fit is not lost: it is passed on whole, with a line
 * that says so. The schema is read when the first result comes; references to other documents are never fetched.
 */
export function outputCheck(schema: unknown): (result: ToolResult) => Promise<ToolResult> {
  if (!isObject(schema)) return (result) => Promise.resolve(result);
  const checked = jsonSchema<unknown>({ ...schema });
  return async (result) => {
    if (result.isError === true) return result;
    const { structuredContent } = result;
    if (structuredContent === undefined) return withNote(result, 'the tool promises structured content, and sent none');
    const outcome = await checked['~standard'].validate(structuredContent);
    if ('value' in outcome) return result;
    const complaints = outcome.issues.map(({ message, path }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
    return withNote(
      result,
      `the structured content is not as the tool's output schema promises: ${oneLine(complaints.join('; '), COMPLAINT_CHARS)}`,
    );
  };
}

function withNote(result: ToolResult, why: string): ToolResult {
  return { ...result, content: [...result.content, { type: 'text', text: `[Note: ${why}]` }] };
}
