import { causeText } from './errors.ts';
import type { Display } from './display.ts';
import type { RuleScope } from './permission/ask.ts';
import type { Ask } from './permission/decision.ts';
import type { ObjectSchema } from './schema.ts';

/** May this call run? `input` is what will run if it may. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: unknown;
  readonly decision: Ask;
  /** Whether something that is not a person (a flag, a policy of the embedding program) may say yes (M4.6). */
  readonly answerable: boolean;
  /** The rules that "do not ask again" would keep; empty where nothing narrow is known or no rule would help. */
  readonly suggestions: readonly string[];
  readonly display?: Display | undefined;
  /** All that the call does is to ask the person, who may say no then: nobody has to be asked whether they may be asked. */
  readonly asksItself?: true | undefined;
}
/** `nobody`: there was no one to ask, which is a no. `stop` ends the run as well. */
export type PermissionAnswer =
  | {
      readonly kind: 'allow';
      readonly input?: unknown;
      /** Keep the suggested rules, and where. */
      readonly remember?: RuleScope | undefined;
      readonly by?: { readonly kind: 'person' } | { readonly kind: 'flag'; readonly flag: string } | undefined;
    }
  | { readonly kind: 'deny'; readonly message: string; readonly stop?: true | undefined }
  | { readonly kind: 'nobody' };

/** A question of a tool to the person. Without options any text is an answer. */
export interface ChoiceQuestion {
  readonly text: string;
  readonly options?: readonly { readonly label: string; readonly description?: string | undefined }[] | undefined;
}
export type ChoiceAnswer = { readonly kind: 'answer'; readonly text: string } | { readonly kind: 'declined' } | { readonly kind: 'nobody' };

/** A server asks for values; `server` names who asks. `schema` is flat: strings, numbers, booleans, enums. */
export interface Elicitation {
  readonly server: string;
  readonly message: string;
  readonly schema: ObjectSchema;
}
export type ElicitationAnswer =
  | { readonly kind: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'decline' }
  | { readonly kind: 'nobody' };

/** The port to a person. Each method settles when `signal` aborts. */
export interface Asker {
  permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  question(question: ChoiceQuestion, signal: AbortSignal): Promise<ChoiceAnswer>;
  elicit(elicitation: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** Nobody is there: every question ends as `nobody`, and an ask for permission with it as a deny. */
export const headlessAsker: Asker = Object.freeze({
  permission: async () => ({ kind: 'nobody' as const }),
  question: async () => ({ kind: 'nobody' as const }),
  elicit: async () => ({ kind: 'nobody' as const }),
});

/** An asker for programs: what is not given has nobody to answer it, and what throws is a no (M4.7). */
export function libraryAsker(given: Partial<Asker>): Asker {
  const asker = { ...headlessAsker, ...given };
  return {
    ...asker,
    permission: async (question, signal) => {
      try {
        return await asker.permission(question, signal);
      } catch (cause) {
        return { kind: 'deny', message: `the question could not be answered: ${causeText(cause)}` };
      }
    },
  };
}
