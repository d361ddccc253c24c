import { defineTool, errorResult, type ChoiceAnswer, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

interface Option {
  readonly label: string;
  readonly description?: string;
}
interface PersonQuestion {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly Option[];
  readonly multiSelect?: boolean;
}
export interface AskInput {
  readonly questions: readonly PersonQuestion[];
}

const MOST_QUESTIONS = 10;

/** Asks the person something that the work depends on. It is never answered by a rule, a mode or a flag. */
export const askUserQuestion = defineTool<AskInput>({
  name: 'AskUserQuestion',
  description: [
    'Asks the person one or more questions and waits for the answers.',
    'Use it when the work depends on something that only they can decide; not for what can be found out.',
    'Options are offered; they may answer in their own words as well, or not at all.',
  ].join(' '),
  searchHint: 'ask the user a question, let them choose between options',
  input: jsonSchema<AskInput>({
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        maxItems: MOST_QUESTIONS,
        items: {
          type: 'object',
          properties: {
            question: { type: 'string', description: 'The whole question' },
            header: { type: 'string', description: 'A word or two that it is about' },
            options: {
              type: 'array',
              items: {
                type: 'object',
                properties: { label: { type: 'string' }, description: { type: 'string' } },
                required: ['label'],
                additionalProperties: false,
              },
            },
            multiSelect: { type: 'boolean', description: 'Whether several options may be chosen' },
          },
          required: ['question'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  }),
  provides: ['person-question'],
  requiresUserInteraction: () => true,
  isReadOnly: () => true,
  interruptBehavior: () => 'cancel',
  display: {
    activity: () => 'Asking you',
    summary: ({ questions }) => questions.map(({ question }) => question).join(' '),
    use: ({ questions }) => ({ kind: 'list', items: questions.map(({ question }) => question) }),
  },
  call: askAll,
});

/** One question after the other; who does not want to answer is not asked the rest. */
async function askAll({ questions }: AskInput, context: ToolContext): Promise<ToolResult> {
  if (questions.length === 0) return errorResult('There is no question in `questions`. Give at least one.');
  const answers: { readonly question: string; readonly answer: string }[] = [];
  for (const each of questions) {
    const answer = await context.ask(worded(each));
    if (answer.kind !== 'answer') return errorResult(unanswered(each, answer, answers));
    answers.push({ question: each.question, answer: answer.text });
  }
  return { content: [{ type: 'text', text: told(answers) }], structuredContent: { answers } };
}

function worded({ question, header, options, multiSelect }: PersonQuestion): Parameters<ToolContext['ask']>[0] {
  const text = header === undefined ? question : `${header}: ${question}`;
  if (options === undefined || options.length === 0) return { text };
  if (!multiSelect) return { text, options };
  // A port for choices takes one; several are named in words.
  const names = options.map(({ label, description }) => `- ${label}${description === undefined ? '' : `: ${description}`}`);
  return { text: [`${text} (name all that apply)`, ...names].join('\n') };
}

function unanswered(
  { question }: PersonQuestion,
  { kind }: Exclude<ChoiceAnswer, { readonly kind: 'answer' }>,
  answers: readonly { readonly question: string; readonly answer: string }[],
): string {
  const before = answers.length === 0 ? '' : `${told(answers)}\n`;
  return kind === 'nobody'
    ? `${before}There is nobody to answer "${question}". Go on with what you know, and say what you assumed.`
    : `${before}The person did not answer "${question}".`;
}

function told(answers: readonly { readonly question: string; readonly answer: string }[]): string {
  return answers.map(({ question, answer }) => `${question}\n→ ${answer}`).join('\n');
}
