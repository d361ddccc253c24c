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
    if (NUMBERED.includes(letter)) return (this.#skip(/^[ \t]*\d+/) || true) && this.#end();
    if (BRANCHES.includes(letter)) return (this.#skip(/^[ \t]*\w+/) || true) && this.#end();
    if (letter === 's') return this.#parts(2) && (this.#skip(/^[gpiImM0-9]+/) || true) && this.#end();
    return letter === 'y' && this.#parts(2) && this.#end();
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
    return this.#parts(1) && (this.#skip(/^[IM]+/) || true);
  }

  /** A delimiter, and so many parts each of which ends with it. */
  #parts(count: number): boolean {
    const [delimiter = ''] = this.#rest;
    if (!/^[!-/:-@[-`{-~]$/.test(delimiter) || delimiter === '\\' || delimiter === '[' || delimiter === ']') return false;
    let at = 1;
    for (let part = 0; part < count; part++) {
      const from = at;
      while (at < this.#rest.length && this.#rest[at] !== delimiter) at += this.#rest[at] === '\\' ? 2 : 1;
      if (at >= this.#rest.length) return false;
      if (part === 0 && !bracketsClose(this.#rest.slice(from, at))) return false;
      at += 1;
    }
    this.#rest = this.#rest.slice(at);
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

/** Whether every bracket of an expression closes inside it: else the delimiter stood in one, where some do not see it. */
function bracketsClose(expression: string): boolean {
  const rest = expression.replace(/\\[^]/g, 'x').replace(/\[\^?\]?(?:\[[:.=][a-z-]*[:.=]\]|[^\]])*\]/g, '');
  return !rest.includes('[');
}
