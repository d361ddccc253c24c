import type { Located, Workspace } from '../kit/workspace.ts';
import type { PartFile } from './call-part.ts';
import { mayFind } from './pattern-meets.ts';
import type { RuleBook, RuleFacts } from './rule-book.ts';
import type { Rule } from './rule.ts';

/** Whether a rule speaks of something. `unclear`: nobody can tell, so a restriction asks and a grant grants nothing. */
export type Match = 'yes' | 'no' | 'unclear';

/** What files are compared with rules by; where one lies is looked up once. */
export interface Court {
  readonly book: RuleBook;
  readonly facts: RuleFacts;
  readonly workspace: Workspace;
  locate(path: string): Promise<Located>;
}

/** Opens one for the length of a decision. */
export function openCourt(book: RuleBook, facts: RuleFacts, workspace: Workspace): Court {
  const places = new Map<string, Promise<Located>>();
  const locate = (path: string) => {
    const known = places.get(path) ?? workspace.locate(path);
    places.set(path, known);
    return known;
  };
  return { book, facts, workspace, locate };
}

/** Does a rule on files cover one that a part names? */
export async function matchFile(rule: Rule, file: PartFile, { book, facts, workspace, locate }: Court): Promise<Match> {
  if (!(await book.counts(rule, facts))) return 'no';
  if (rule.part.kind === 'whole') return 'yes';
  const { text } = rule.part;
  const { place } = file;
  switch (place.kind) {
    case 'unknown':
      return 'unclear';
    case 'pattern': {
      const starts = { home: workspace.home, cwd: workspace.cwd, source: rule.folder ?? workspace.cwd };
      const { hops } = await locate(folderOf(place.pattern));
      const rest = place.pattern.slice(folderOf(place.pattern).length);
      return hops.some((hop) => mayFind(workspace.spelling.fold(hop + rest), workspace.spelling.fold(text), starts)) ? 'unclear' : 'no';
    }
    case 'path': {
      const { kind, hops } = await locate(place.path);
      const covers = await book.coversPath(rule, text, hops, workspace);
      if (covers !== false) return covers === true ? 'yes' : 'unclear';
      return kind === 'unclear' || (place.below && (await book.mayLieBelow(rule, hops, workspace))) ? 'unclear' : 'no';
    }
  }
}

/** The folder that all files of a glob lie in. */
export function folderOf(pattern: string): string {
  const plain = pattern.split('/');
  return (
    plain
      .slice(
        0,
        Math.max(
          1,
          plain.findIndex((step) => /[*?[\\]/.test(step)),
        ),
      )
      .join('/') || '/'
  );
}
