import { carriedBy } from './carriers.ts';
import { doubtsOf, expansionDoubts } from './doubts.ts';
import type { Member, Place, Redirection, Word } from './member.ts';
import { eachChild, parseShell, type CommandNode, type SyntaxNode, type Statement } from './parse.ts';
import type * as Shell from './parse.ts';
import { networkDoubt, readRedirections } from './redirections.ts';
import { assigned, eitherOf, lostTrack, type Scope } from './scope.ts';
import { FRESH_NAME, assignedBy, assignmentWord, changedBy, familyOf, mayMove, namesSetIn } from './shell-state.ts';
import { decodeValue, decodeWord } from './word.ts';
import { unwrap } from './wrappers.ts';

/** Where a command stands while it is read. */
interface At {
  readonly scope: Scope;
  readonly within: readonly Place[];
  readonly standing: Member['standing'];
  readonly input: Member['input'];
  /** `time` before it. */
  readonly timed: boolean;
}

/** What a walk through a script finds. */
export interface Found {
  readonly members: readonly Member[];
  readonly problems: readonly string[];
}

/** Finds every simple command of a script, wherever it stands, with what is known at that place (permissions.md, statement 19). */
export function walkScript(script: Shell.ParsedScript, source: string, scope: Scope): Found {
  const walk = new Walk(script, source);
  walk.list(script.commands, { scope, within: [], standing: 'open', input: 'none', timed: false });
  return walk;
}

class Walk implements Found {
  readonly members: Member[] = [];
  readonly problems: string[] = [];
  readonly #script: Shell.ParsedScript;
  readonly #source: string;

  constructor(script: Shell.ParsedScript, source: string) {
    this.#script = script;
    this.#source = source;
  }

  list(statements: readonly Statement[], at: At): Scope {
    return statements.reduce((scope, { command, background }) => {
      const here = { ...at, scope };
      if (background !== true) return this.#andOr(command, here);
      this.#andOr(command, inside(here, 'background'));
      return scope;
    }, at.scope);
  }

  /** Behind `&&` everything before has worked, behind `||` something has not; afterwards nobody knows which. */
  #andOr(node: Statement['command'], at: At): Scope {
    if (node.type !== 'AndOr') return this.#whetherOrNot(at.scope, this.#pipeline(node, at));
    let [worked, failed]: readonly [Scope, Scope] = [at.scope, at.scope];
    for (const [index, command] of node.commands.entries()) {
      const operator = index === 0 ? '&&' : node.operators[index - 1];
      const from = operator === '&&' ? worked : failed;
      const after = this.#pipeline(command, { ...at, scope: from });
      if (operator === '&&') [worked, failed] = [after, eitherOf(eitherOf(failed, from), after)];
      else [worked, failed] = [eitherOf(worked, after), eitherOf(from, after)];
    }
    return eitherOf(worked, failed);
  }

  /** A `cd` that fails leaves the shell where it was. */
  #whetherOrNot(before: Scope, after: Scope): Scope {
    return before === after ? after : { ...eitherOf(after, before), variables: after.variables };
  }

  #pipeline(node: Shell.PipelineNode, at: At): Scope {
    if (node.type !== 'Pipeline') return this.#command(node, at);
    const timed = at.timed || node.prefixes.some(({ type }) => type === 'Time');
    const [only] = node.commands;
    if (only !== undefined && node.commands.length === 1) return this.#command(only, { ...at, timed });
    for (const [index, command] of node.commands.entries())
      this.#command(command, { ...inside(at, 'pipe'), timed, input: index === 0 ? at.input : 'given' });
    return at.scope;
  }

  #command(node: CommandNode, at: At): Scope {
    switch (node.type) {
      case 'Command':
        return this.#simple(node, at);
      case 'Redirected': {
        const redirections = this.#redirections(node.redirects, at);
        this.#add({ ...EMPTY, redirections, source: this.#text(node) }, node.redirects, at);
        return this.#command(node.command, { ...at, input: redirections.some(({ kind }) => kind !== 'writes') ? 'given' : at.input });
      }
      case 'Subshell':
        this.list(node.body.commands, inside(at, 'subshell'));
        return at.scope;
      case 'BraceGroup':
        return this.list(node.body.commands, inside(at, 'group'));
      case 'If':
        return this.#branches(node, at);
      case 'While':
      case 'For':
      case 'Select':
      case 'ArithmeticFor':
        return this.#loop(node, at);
      case 'Case':
        return this.#case(node, at);
      case 'TestCommand':
        this.#carried(this.#add({ ...EMPTY, name: text('[['), args: this.#tested(node, at), source: this.#text(node) }, [node], at), at);
        return at.scope;
      case 'ArithmeticCommand':
        this.#add({ ...EMPTY, name: text('(('), source: this.#text(node) }, [node], at);
        return at.scope;
      case 'Function':
      case 'Coproc':
        return this.#definition(node, at);
    }
  }

  #branches(node: Shell.If, at: At): Scope {
    let scope = this.list(node.clause.commands, inside(at, 'condition'));
    let end = this.list(node.then.commands, inside({ ...at, scope }, 'condition'));
    for (const { clause, then } of node.elif) {
      scope = this.list(clause.commands, inside({ ...at, scope }, 'condition'));
      end = eitherOf(end, this.list(then.commands, inside({ ...at, scope }, 'condition')));
    }
    return eitherOf(end, node.else === undefined ? scope : this.list(node.else.commands, inside({ ...at, scope }, 'condition')));
  }

  /** What a loop changes may have been changed before any of its rounds. */
  #loop(node: Shell.While | Shell.For | Shell.Select | Shell.ArithmeticFor, at: At): Scope {
    let { scope } = at;
    if (mayMove(node, 'itself')) scope = { ...lostTrack(scope), variables: scope.variables };
    for (const name of namesSetIn(node)) scope = assigned(scope, name, undefined);
    if (node.type === 'For') {
      this.#inWords(node.wordlist ?? [], at);
      const words: readonly Word[] = (node.wordlist ?? []).flatMap((word) => decodeWord(word, at.scope));
      scope = assigned(scope, node.name.text, familyOf(words, node.wordlist === undefined));
      this.#special(node.name.text, at, node);
    } else if (node.type === 'Select') {
      this.#inWords(node.wordlist ?? [], at);
      scope = assigned(scope, node.name.text, undefined);
      this.#special(node.name.text, at, node);
    } else if (node.type === 'ArithmeticFor') {
      const parts = [node.initialize, node.test, node.update].filter((part) => part !== undefined);
      this.#add({ ...EMPTY, name: text('(('), source: this.#text(node) }, parts, at);
    }
    const here = { ...at, scope };
    if (node.type === 'While') scope = this.list(node.clause.commands, inside(here, 'condition'));
    return eitherOf(this.list(node.body.commands, inside({ ...here, scope }, 'loop')), at.scope);
  }

  /** A loop over `PATH` sets it. */
  #special(name: string, at: At, node: SyntaxNode): void {
    if (FRESH_NAME.test(name) || /^([A-Z]|_)$/.test(name)) return;
    const value: Word = { kind: 'unknown', source: '', quoted: false, prefix: '', count: 'any', why: 'what a loop goes over' };
    this.#add({ ...EMPTY, assignments: [{ name, value, plain: false, source: name }], source: this.#text(node) }, [], at);
  }

  #case(node: Shell.Case, at: At): Scope {
    this.#inWords([node.word, ...node.items.flatMap(({ pattern }) => pattern)], at);
    const ends = node.items.map(({ body }) => this.list(body.commands, inside(at, 'case')));
    // One arm may fall through into the next.
    return ends.reduce(eitherOf, at.scope);
  }

  #definition(node: Shell.Function | Shell.Coproc, at: At): Scope {
    const word = node.type === 'Function' ? 'function' : 'coproc';
    this.#add(
      { ...EMPTY, name: text(word), args: node.name === undefined ? [] : decodeWord(node.name, at.scope), source: this.#text(node) },
      [],
      at,
    );
    const scope = mayMove(this.#script, 'wherever it is called') ? lostTrack(at.scope) : at.scope;
    const here = { ...inside({ ...at, scope }, word === 'function' ? 'function' : 'background'), input: 'given' } as const;
    const { body } = node;
    const end = body.type === 'CompoundList' ? this.list(body.commands, here) : this.#command(body, here);
    return end === scope ? at.scope : lostTrack(at.scope);
  }

  #simple(node: Shell.Command, at: At): Scope {
    const redirections = this.#redirections(node.redirects, at);
    const assignments = node.prefix.flatMap((each) => (each.type === 'Assignment' ? [assignedBy(each, at.scope)] : []));
    const args = node.args.flatMap((arg): readonly Word[] =>
      arg.type === 'Assignment' ? assignmentWord(arg, at.scope) : decodeWord(arg, at.scope),
    );
    const words = [...(node.name === undefined ? [] : decodeWord(node.name, at.scope)), ...args];
    const { name, args: operands, wrappers } = unwrap(words);
    const input = redirections.some(({ kind }) => kind !== 'writes') || wrappers.includes('xargs') ? 'given' : at.input;
    const timed = at.timed && name !== undefined ? ['time'] : [];
    const nodes = [...(node.name === undefined ? [] : [node.name]), ...node.prefix, ...node.suffix];
    const member = this.#add(
      { name, args: operands, assignments, redirections, wrappers: [...timed, ...wrappers], source: this.#text(node) },
      nodes,
      { ...at, input },
    );
    this.#carried(member, at);
    return changedBy(member, at.scope);
  }

  /** What another command runs is a member too, but one that only restricts. */
  #carried(member: Member, at: At): void {
    const { commands, scripts, unknown } = carriedBy(member);
    const here: At = { ...inside(at, 'script'), standing: 'hidden', input: member.input };
    for (const words of commands) {
      const { name, args, wrappers } = unwrap(words);
      this.#carried(this.#add({ ...EMPTY, name, args, wrappers, source: words.map(({ source }) => source).join(' ') }, [], here), here);
    }
    for (const inner of scripts) {
      const { script, problems } = parseShell(inner);
      if (problems.length > 0) this.#unknown(`an inner script is unclear: ${problems.join(', ')}`, member, here);
      if (script === undefined) continue;
      const walk = new Walk(script, inner);
      walk.list(script.commands, here);
      this.#take(walk);
    }
    if (unknown !== undefined) this.#unknown(unknown, member, here);
  }

  #unknown(why: string, { source }: Member, at: At): void {
    this.#add({ ...EMPTY, name: { kind: 'unknown', source: '…', quoted: false, prefix: '', count: 'any', why }, source }, [], at);
  }

  #redirections(redirects: readonly Shell.Redirection[], at: At): readonly Redirection[] {
    const { redirections, problems } = readRedirections(redirects, at.scope, this.#source);
    this.problems.push(...problems);
    return redirections;
  }

  /** Keeps a member, what its words run, and the same one wherever else the shell may stand. */
  #add(found: Bare, nodes: readonly SyntaxNode[], at: At): Member {
    for (const node of nodes) this.#substitutions(node, at);
    const { scope, standing, within, input } = at;
    const { directory, elsewhere } = scope;
    const { name, args, assignments, redirections, wrappers, source } = found;
    const doubts = [...doubtsOf(found), ...nodes.flatMap((node) => expansionDoubts(node, scope)), ...redirections.flatMap(networkDoubt)];
    // Written out: objects that are spread into one get no shape that the engine could share.
    const member = {
      name,
      args,
      assignments,
      redirections,
      directory,
      elsewhere,
      wrappers,
      standing,
      within,
      doubts,
      input,
      source,
    };
    this.members.push(member);
    for (const other of elsewhere) this.members.push({ ...member, directory: other, elsewhere: [], standing: 'hidden' });
    return member;
  }

  #inWords(words: readonly Shell.Word[], at: At): void {
    const doubts = words.flatMap((word) => expansionDoubts(word, at.scope));
    if (doubts.length > 0) this.#add({ ...EMPTY, source: words.map(({ text: written }) => written).join(' ') }, words, at);
    else for (const word of words) this.#substitutions(word, at);
  }

  /** Commands in words run before the command they stand in. */
  #substitutions(node: SyntaxNode, at: At): void {
    if (node.type === 'Script') {
      const script = node;
      // Positions in what stood in escaped backticks are those of the text without the escapes.
      const walk = script.source === undefined ? this : new Walk(script, script.source);
      walk.list(script.commands, { ...inside(at, 'substitution'), input: 'none', timed: false });
      if (walk !== this) this.#take(walk);
      return;
    }
    const isRead = !('script' in node) || node.script !== undefined;
    if (!isRead) this.problems.push('a command in it could not be read');
    eachChild(node, (child) => this.#substitutions(child, at));
  }

  #tested(node: Shell.TestCommand, at: At): readonly Word[] {
    const words: Word[] = [];
    const look = (each: SyntaxNode): void => {
      if (each.type === 'TestUnary') words.push(text(each.operator), decodeValue(each.operand, at.scope));
      else if (each.type === 'TestBinary')
        words.push(decodeValue(each.left, at.scope), text(each.operator), decodeValue(each.right, at.scope));
      else eachChild(each, look);
    };
    look(node);
    return words;
  }

  #take({ members, problems }: Found): void {
    this.members.push(...members);
    this.problems.push(...problems);
  }

  #text({ pos, end }: { readonly pos: number; readonly end: number }): string {
    return this.#source.slice(pos, end);
  }
}

type Bare = Omit<Member, 'directory' | 'elsewhere' | 'standing' | 'within' | 'input' | 'doubts'>;

const EMPTY: Bare = { name: undefined, args: [], assignments: [], redirections: [], wrappers: [], source: '' };

function inside({ scope, within, standing, input, timed }: At, place: Place): At {
  return { scope, within: [...within, place], standing, input, timed };
}

function text(word: string): Word {
  return { kind: 'text', text: word, source: word, quoted: false, expanded: false };
}
