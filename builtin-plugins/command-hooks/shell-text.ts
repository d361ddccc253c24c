/** A command for a shell, or why it is not given to one. */
export type ShellText = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'wrong'; readonly why: string };

const PLACEHOLDER = /\$\{([A-Za-z_][\w.]*)\}/g;

/**
 * Puts the values of `${NAME}` into a command so that each stays one word, whatever is in it and whatever quotes it stands in. A name that
 * has no value here and gets none in the command is told: a shell would put nothing in its place.
 */
export function shellText(command: string, values: Readonly<Record<string, string>>): ShellText {
  const option = /\$\{(user_config\.\w+)\}/.exec(command)?.[1];
  if (option !== undefined)
    return {
      kind: 'wrong',
      why: `it names \${${option}} in a command for a shell, which would run what stands in it; give it in \`args\``,
    };
  const unset = [...command.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .find((name) => values[name] === undefined && !isSetIn(command, name));
  if (unset !== undefined) return { kind: 'wrong', why: `it names \${${unset}}, which has no value` };
  const text = command.replaceAll(PLACEHOLDER, (all, name: string, at: number) => {
    const value = values[name];
    return value === undefined ? all : inQuotes(value, quoteAt(command, at));
  });
  return { kind: 'text', text };
}

function isSetIn(command: string, name: string): boolean {
  return new RegExp(`(?:^|[\\s;&|(])(?:(?:export|local|declare)\\s+)?${name}=|\\b(?:for|read(?:\\s+-\\w+)*)\\s+${name}\\b`).test(command);
}

/** The quotes that stand open at a place of a command. */
function quoteAt(command: string, at: number): '' | '"' | "'" {
  let open: '' | '"' | "'" = '';
  for (let here = 0; here < at; here++) {
    const sign = command[here];
    if (sign === '\\' && open !== "'") here++;
    else if (open === '' && (sign === '"' || sign === "'")) open = sign;
    else if (sign === open) open = '';
  }
  return open;
}

function inQuotes(value: string, open: '' | '"' | "'"): string {
  if (open === '"') return value.replaceAll(/["$`\\]/g, '\\$&');
  if (open === "'") return value.replaceAll("'", `'\\''`);
  return /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
