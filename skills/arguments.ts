/** What the placeholders of a text stand for. */
export interface Values {
  /** As they were given. */
  readonly words: string;
  /** Names for the words, in order. */
  readonly names: readonly string[];
  /** For `${NAME}`; what is not here stays as it is written. */
  readonly variables: Readonly<Record<string, string>>;
}

const PLACEHOLDER = /(\\*)(?:\$ARGUMENTS\[(\d+)\]|\$(ARGUMENTS)\b|\$(\d+)|\$\{([A-Za-z_][\w.]*)\}|\$([A-Za-z_]\w*))/g;

/** A text filled in once, and whether all the words went into it as they are. */
export interface Filled {
  readonly text: string;
  readonly whole: boolean;
  /** Whether any of the words, or a name for one, has a place in it. */
  readonly some: boolean;
}

/**
 * Fills in `$ARGUMENTS`, `$ARGUMENTS[n]` and `$n`, counted from 0, `$name` and `${NAME}`. What was put in is not looked at again. One
 * backslash before a placeholder keeps it as it is.
 */
export function fillIn(text: string, values: Values): Filled {
  const list = splitWords(values.words);
  let whole = false;
  let some = false;
  const filled = text.replaceAll(PLACEHOLDER, (all, slashes: string, ...groups: readonly (string | undefined)[]) => {
    const [inBrackets, everything, number, variable, name] = groups;
    const index = inBrackets ?? number;
    const named = name !== undefined && values.names.includes(name);
    const about = everything !== undefined || index !== undefined || named;
    const value = about ? wordOf(list, { everything, index, name }, values) : own(values.variables, variable);
    if (slashes.length === 1 && (about || value !== undefined)) return all.slice(1);
    whole ||= everything !== undefined;
    some ||= about;
    return value === undefined ? all : slashes + value;
  });
  return { text: filled, whole, some };
}

function wordOf(
  list: readonly string[],
  { everything, index, name = '' }: Readonly<Record<'everything' | 'index' | 'name', string | undefined>>,
  { words, names }: Values,
): string | undefined {
  if (everything !== undefined) return words;
  return index === undefined ? (list[names.indexOf(name)] ?? '') : list[Number(index)];
}

function own(variables: Values['variables'], name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Words as a shell would have them: quotes hold them together and are not part of them. */
function splitWords(line: string): readonly string[] {
  const found: string[] = [];
  let word: string | undefined;
  for (const [piece, double, single, escaped] of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|\s+|[^\s"'\\]+|["'\\]/gs)) {
    const quoted = double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? escaped;
    if (quoted === undefined && /^\s/.test(piece)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + (quoted ?? piece);
  }
  return word === undefined ? found : [...found, word];
}
