import type { Complaint } from './layer-checks.ts';
import { BUDGETS, LONG_FILES } from './layer-tables.data.ts';
import { codeLines, type SourceFile } from './source-text.ts';

/** No file is longer than it can be read at once. Tables in `*.data.ts` are free. */
export function lengthComplaints(
  files: readonly SourceFile[],
  ratchet: Readonly<Record<string, number>> = LONG_FILES,
): readonly Complaint[] {
  return files
    .filter(({ path }) => !path.endsWith('.data.ts'))
    .flatMap(({ path, text }) => {
      const lines = codeLines(text);
      const limit = path.endsWith('.test.ts') ? BUDGETS.testFile : BUDGETS.file;
      const known = ratchet[path];
      if (known !== undefined && lines <= limit) return [`${path}:1 is within its limit again. Take it out of LONG_FILES.`];
      if (known !== undefined && lines < known) return [`${path}:1 has shrunk to ${lines} code lines. Write that number into LONG_FILES.`];
      if (lines <= (known ?? limit)) return [];
      return [
        `${path}:${limit + 1} has ${lines} code lines, ${known ?? limit} are allowed. Split it: if two names fit a file, it is two files.`,
      ];
    });
}

/** Core stays small as a whole (2.3). */
export function coreComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  const core = files
    .filter(({ path }) => path.startsWith('core/') && !path.endsWith('.data.ts'))
    .map(({ path, text }) => ({ part: /^core\/(search|kit)\//.exec(path)?.[1] ?? 'core', lines: codeLines(text) }));
  const total = (part: string) => core.filter((each) => each.part === part).reduce((sum, { lines }) => sum + lines, 0);
  const sizes = core.filter(({ part }) => part === 'core').map(({ lines }) => lines);
  const limits = [
    { what: 'core/ without search/ and kit/', has: total('core'), may: BUDGETS.core },
    { what: 'core/search/', has: total('search'), may: BUDGETS.search },
    { what: 'core/kit/', has: total('kit'), may: BUDGETS.kit },
    { what: 'the median file of core/', has: median(sizes), may: BUDGETS.coreMedian },
  ];
  return limits
    .filter(({ has, may }) => has > may)
    .map(({ what, has, may }) => `${what}:1 has ${has} code lines, ${may} are allowed. Move what is not the host's work into a plugin.`);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const NAMES_THAT_SAY_NOTHING = /(^|[-.])(utils?|helpers?|manager|service|misc|types|common|info|data)\.ts$/;

/** A file is named after the one thing it gives, in kebab-case. */
export function fileNameComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  return files.flatMap(({ path }) => {
    const name = path.split('/').at(-1) ?? '';
    if (!/^[a-z0-9]+([-.][a-z0-9]+)*\.(ts|mjs|js)$/.test(name)) return [`${path}:1 is not in kebab-case. Rename it.`];
    if (NAMES_THAT_SAY_NOTHING.test(name) && !/\w\.data\.ts$/.test(name))
      return [`${path}:1 has a name that says nothing. Name it after the one thing it gives.`];
    return [];
  });
}
