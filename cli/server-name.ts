const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]|_(?!_|$)){0,63}$/u;

/** What is wrong with the name of a server. It stands in rules (`mcp__name__tool`), on command lines and in files: it must be readable in one way in all of them. */
export function nameComplaint(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  const near = cleanName(name);
  return `a name has 1 to 64 letters, digits, ".", "-" and single "_", and begins with a letter or digit.${near === undefined ? '' : ` Try "${near}".`}`;
}

/** The nearest name a server may have. */
export function cleanName(name: string): string | undefined {
  const clean = name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 64);
  return NAME.test(clean) ? clean : undefined;
}
