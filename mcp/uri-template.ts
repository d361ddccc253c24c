/** Which variable of a template is being written, and what was written for those before it. */
export interface OpenVariable {
  readonly name: string;
  readonly value: string;
  /** What stands before the value. */
  readonly head: string;
  readonly before: Readonly<Record<string, string>>;
}

/** Reads an address that was begun as the beginning of a template like `repo://{owner}/{name}`; `undefined` where it is not, or where no variable is open. */
export function openVariable(template: string, typed: string): OpenVariable | undefined {
  const pieces = template.split(/\{[+#./;?&]?(\w+)\*?\}/);
  const before: Record<string, string> = {};
  let at = 0;
  for (let each = 0; each + 1 < pieces.length; each += 2) {
    const [literal = '', name = '', next = ''] = pieces.slice(each, each + 3);
    if (!typed.startsWith(literal, at)) return undefined;
    at += literal.length;
    const end = next === '' ? -1 : typed.indexOf(next, at);
    if (end < 0) return { name, value: typed.slice(at), head: typed.slice(0, at), before };
    before[name] = typed.slice(at, end);
    at = end;
  }
  return undefined;
}
