import { textOf, type Host, type Model } from 'pegboard';
import type { CommandHooks } from 'pegboard/builtin-plugins';

const ANSWER_TOKENS = 500;

/** Lets written hooks call tools, each through the pipeline, and ask a model where there is one. */
export function reachHooks(hooks: CommandHooks, host: Host, model?: Model): void {
  hooks.reach({
    callTool: async (name, input, signal) => {
      const { result } = await host.call(name, input, { signal });
      return { text: textOf(result.content), failed: result.isError === true };
    },
    askModel: model && ((prompt, signal) => answerOf(model, prompt, signal)),
  });
}

async function answerOf(model: Model, prompt: string, signal: AbortSignal): Promise<string> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }];
  const texts: string[] = [];
  for await (const event of model.stream({ system: '', tools: [], messages, maxTokens: ANSWER_TOKENS }, signal))
    if (event.kind === 'block' && event.block.type === 'text') texts.push(event.block.text);
  return texts.join('');
}
