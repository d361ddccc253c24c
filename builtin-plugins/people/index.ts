import { definePlugin, type Plugin } from 'pegboard';

import { askUserQuestion } from './ask-user-question.ts';

/** The plugin "people": what only a person can answer (M11.6). */
export function people(): Plugin {
  return definePlugin({ name: 'people', tools: [askUserQuestion] });
}
