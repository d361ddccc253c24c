import type { Asker, PermissionAnswer, RuleScope } from 'pegboard';

import { askInWords, oneAfterTheOther, questionLines, type ReadAnswer } from '../ask-person.ts';
import { shown, shownLines } from '../render/shown.ts';
import type { Line, Screen } from '../screen.ts';
import type { SelectItem } from './tui-parts.ts';

/** Lets a person choose one of several; nothing where they stop it or it is over. */
export type Choose = (items: readonly SelectItem[], signal: AbortSignal) => Promise<string | undefined>;

const SCOPES: Readonly<Record<RuleScope, string>> = {
  session: 'Yes, and always in this session',
  local: 'Yes, and always for you here',
  project: 'Yes, and always for everybody here',
  user: 'Yes, and always for you everywhere',
};
const STOPPED: PermissionAnswer = { kind: 'deny', message: 'the person stopped', stop: true };
const ELSE = 'else';
/** Of a long input the rest is folded, or the reason would be out of sight. */
const QUESTION_LINES = 40;

/** What it takes to put a question. */
interface Means {
  readonly choose: Choose;
  readonly read: ReadAnswer;
  readonly fold: (lines: readonly Line[], rest: readonly Line[]) => void;
  readonly screen: Screen;
}

/** Asks by a list to choose from; where any text is an answer, by a line. */
export function askByChoice({ choose, read, fold, screen }: Means): Asker {
  const inTurn = oneAfterTheOther();
  const words = askInWords(read, screen);
  return {
    permission: async (question, signal) => {
      // Its questions follow at once, and may be left unanswered.
      if (question.asksItself) return { kind: 'allow', by: { kind: 'person' } };
      return inTurn(async () => {
        const { suggestions: rules } = question;
        const lines = questionLines(question, screen.width);
        fold(lines.slice(0, QUESTION_LINES), lines.slice(QUESTION_LINES));
        if (rules.length > 0) screen.warn([{ text: `always would keep: ${rules.join(', ')}`, style: 'dim' }]);
        const answer = await choose(permissionItems(rules.length > 0), signal);
        if (answer === undefined) return STOPPED;
        if (answer === 'no') return { kind: 'deny', message: 'the person said no' };
        if (answer !== 'why') {
          const remember = answer === 'yes' ? {} : { remember: answer as RuleScope };
          return { kind: 'allow', by: { kind: 'person' }, ...remember };
        }
        const why = await read('Why not?', signal);
        return why === undefined ? STOPPED : { kind: 'deny', message: why === '' ? 'the person said no' : `the person said no: ${why}` };
      });
    },
    question: (question, signal) => {
      const { text, options = [] } = question;
      if (options.length === 0) return words.question(question, signal);
      return inTurn(async () => {
        for (const line of shownLines(text)) screen.warn(line);
        const items = options.map(({ label, description }, at) => item(String(at), label, description));
        const answer = await choose([...items, item(ELSE, 'Something else')], signal);
        const said = answer === ELSE ? await read('Your answer:', signal) : options[Number(answer ?? Number.NaN)]?.label;
        return said ? { kind: 'answer', text: said } : { kind: 'declined' };
      });
    },
    elicit: (elicitation, signal) => inTurn(() => words.elicit(elicitation, signal)),
  };
}

function permissionItems(keeps: boolean): readonly SelectItem[] {
  const always = keeps ? Object.entries(SCOPES).map(([scope, label]) => item(scope, label)) : [];
  return [item('yes', 'Yes'), ...always, item('no', 'No'), item('why', 'No, and say why')];
}

function item(value: string, label: string, description?: string): SelectItem {
  const short = shown(label, 120);
  return description === undefined ? { value, label: short } : { value, label: short, description: shown(description, 200) };
}
