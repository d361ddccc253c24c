import { textOf, type Host, type Model } from 'pegboard';
import { labelOf, type CommandHooks } from 'pegboard/builtin-plugins';

import { patiently } from './patience.ts';
import type { Line, Screen } from './screen.ts';

const ANSWER_TOKENS = 500;

/** Lets written hooks call tools, each through the pipeline, and ask a model where there is one. Of each that takes its time a person hears once. */
export function reachHooks(hooks: CommandHooks, host: Host, screen: Pick<Screen, 'tell'>, model?: Model): void {
  const told = new Set<string>();
  hooks.reach({
    waits: (hook, over) => {
      const words = `waiting for the hook \`${labelOf(hook)}\` (${hook.event} of ${hook.source.name}), ${hook.limitMs / 1_000} s at most`;
      if (told.has(words)) return;
      const tell = (line: Line) => {
        told.add(words);
        screen.tell(line);
      };
      void patiently({ tell }, words, over);
    },
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
