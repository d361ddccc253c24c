/**
 * Why a script of sed is not accepted. Accepted are scripts that print, delete, substitute, transliterate, keep, branch or quit and
 * nothing else; one that two programs of that name may read in two ways is not.
 */
export function complaintAboutSed(script: string): string | undefined {
  const rest = new SedScript(script).read();
  return rest === undefined
    ? undefined
    : `the script does more than print and substitute, or is not understood, at ${JSON.stringify(rest.slice(0, 40))}`;
}

/** Commands that are one letter, and those with a number behind them if there is one. */
const PLAIN = 'pPdDhHgGxnN=z';
const NUMBERED = 'qQl';
const BRANCHES = 'btT';

/** Reads a script from left to right, each step by one anchored pattern. */
class SedScript {
  #rest: string;
  #depth = 0;

  constructor(script: string) {
    this.#rest = script;
  }

  /** What is left at the first thing that is not accepted. */
  read(): string | undefined {
    for (;;) {
      this.#skip(/^(?:[\s;]|#[^\n]*)+/);
      if (this.#rest === '') return this.#depth === 0 ? undefined : '{';
      const from = this.#rest;
      if (!this.#command()) return from;
    }
  }

  #command(): boolean {
    if (this.#skip(/^\}/)) return --this.#depth >= 0 && this.#end();
    if (this.#skip(/^:[ \t]*\w+/)) return this.#end();
    if (!this.#addresses()) return false;
    const [letter = ''] = this.#rest;
    this.#rest = this.#rest.slice(1);
    if (letter === '') return false;
    if (letter === '{') {
      this.#depth += 1;
      return true;
    }
    if (PLAIN.includes(letter)) return this.#end();
    if (NUMBERED.includes(letter)) return this.#skip(/^[ \t]*\d*/) && this.#end();
    if (BRANCHES.includes(letter)) return this.#skip(/^[ \t]*\w*/) && this.#end();
    if (letter === 's') return this.#parts('substitution') && this.#skip(/^[gpiImM0-9]*/) && this.#end();
    return letter === 'y' && this.#parts('letters') && this.#end();
  }

  /** None, one or two, and `!`. */
  #addresses(): boolean {
    if (this.#atAddress()) {
      if (!this.#address()) return false;
      this.#skip(/^[ \t]+/);
      if (this.#skip(/^,[ \t]*/) && !(this.#skip(/^[+~]\d+/) || this.#address())) return false;
    }
    this.#skip(/^[ \t]*(?:![ \t]*)?/);
    return true;
  }

  #atAddress(): boolean {
    return /^[\d$/\\]/.test(this.#rest);
  }

  #address(): boolean {
    if (this.#skip(/^(?:\d+(?:~\d+)?|\$)/)) return true;
    if (this.#rest.startsWith('\\')) this.#rest = this.#rest.slice(1);
    else if (!this.#rest.startsWith('/')) return false;
    return this.#parts('address') && this.#skip(/^[IM]*/);
  }

  /** A delimiter, and so many parts each of which ends with it; in an expression it may stand between brackets. */
  #parts(kind: 'address' | 'substitution' | 'letters'): boolean {
    const [delimiter = ''] = this.#rest;
    if (!/^[!-/:-@^-`{-~]$/.test(delimiter)) return false;
    const first = kind === 'letters' ? partEnd(this.#rest, 1, delimiter) : expressionEnd(this.#rest, delimiter);
    const last = first !== undefined && kind !== 'address' ? partEnd(this.#rest, first + 1, delimiter) : first;
    if (last === undefined || (kind === 'substitution' && opensFile(this.#rest, delimiter))) return false;
    this.#rest = this.#rest.slice(last + 1);
    return true;
  }

  /** Behind a command comes its end, or another part of the script that begins for certain. */
  #end(): boolean {
    return this.#skip(/^[ \t]*(?=$|[;\n}#])/);
  }

  #skip(pattern: RegExp): boolean {
    const found = pattern.exec(this.#rest);
    if (found === null) return false;
    this.#rest = this.#rest.slice(found[0].length);
    return true;
  }
}

/** The next delimiter of the line that no backslash stands before. */
function partEnd(text: string, from: number, delimiter: string): number | undefined {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return text[at] === delimiter ? at : undefined;
}

const BRACKETS = /^\[\^?\]?(?:\[[:.=][a-z]+[:.=]\]|[^\]\\\n]|\\[^\]\n])*\]/;

/** Where an expression ends. One whose brackets do not close for certain has no end. */
function expressionEnd(text: string, delimiter: string): number | undefined {
  let at = 1;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') {
    const brackets = text[at] === '[' ? BRACKETS.exec(text.slice(at))?.[0].length : undefined;
    if (text[at] === '[' && brackets === undefined) return undefined;
    at += brackets ?? (text[at] === '\\' ? 2 : 1);
  }
  return text[at] === delimiter ? at : undefined;
}

/**
 * To some a delimiter between brackets ends the expression. They refuse such a script, since the bracket is open then, but not before
 * they have opened the file that would be written to.
 */
function opensFile(text: string, delimiter: string): boolean {
  const first = partEnd(text, 1, delimiter) ?? text.length;
  const second = partEnd(text, first + 1, delimiter) ?? text.length;
  return /^[gpiImMe0-9]*w/.test(text.slice(second + 1));
}
