import type { Blame } from 'pegboard';

type Entries = Readonly<Record<string, { readonly blame: Blame; readonly text: string }>>;

const HEAD = `# Errors

Every error has a code and one sentence that says what is wrong, where, and what to do. This page is made from \`core/errors.ts\`, which is the only place with
wording; \`npx vitest run --config vitest.rules.config.ts -u\` writes it anew. A word in braces stands for a value.

| exit code | when |
|---|---|
| 1 | the tool or the run failed (\`run\`) |
| 2 | something was said wrongly (\`usage\`) |
| 3 | a permission refused it (\`refused\`) |
| 4 | something is configured wrongly (\`config\`) |
`;

/** The page on errors: one heading per area, one row per code, in the order of the table. */
export function errorPage(table: Entries): string {
  const areas = new Map<string, string[]>();
  for (const [code, { blame, text }] of Object.entries(table)) {
    const area = code.split('_')[0] ?? code;
    areas.set(area, [...(areas.get(area) ?? []), `| \`${code}\` | ${blame} | ${text.replaceAll('|', '\\|')} |`]);
  }
  const sections = [...areas].map(([area, rows]) => [`## ${area}`, '', '| code | whose | sentence |', '|---|---|---|', ...rows].join('\n'));
  return `${HEAD}\n${sections.join('\n\n')}\n`;
}
