import type { Resource, Tool, ToolContext } from '../tool.ts';

/** What a call claims of the world while it runs. */
export interface Claim {
  /** May it run beside others at all? */
  readonly safe: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Nothing is known of it, or it must be alone. */
export const ALONE: Claim = { safe: false, reads: [], writes: [] };

/** What a tool says of a call with this input. A tool that cannot say it runs alone. */
export async function claimOf(tool: Tool, input: unknown, context: ToolContext): Promise<Claim> {
  try {
    const safe: unknown = tool.isConcurrencySafe(input);
    if (safe !== true) return ALONE;
    const [reads, writes] = await Promise.all([tool.reads(input), tool.writes(input)].map((all) => namesOf(all, context)));
    return { safe: true, reads: reads ?? [], writes: writes ?? [] };
  } catch {
    return ALONE;
  }
}

/** Whether two calls may run beside each other: both are safe, and neither writes what the other one reads or writes. */
export function together(a: Claim, b: Claim): boolean {
  if (!a.safe || !b.safe) return false;
  const reading = a.writes.length + b.writes.length === 0;
  return reading || (!meets(a.writes, b.writes) && !meets(a.writes, b.reads) && !meets(b.writes, a.reads));
}

function meets(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => one === other || holds(one, other) || holds(other, one)));
}

/** A folder holds what lies in it; no other name has a "/" at its end. */
function holds(folder: string, path: string): boolean {
  return folder.startsWith('file ') && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** One name for each resource, however it is spelled and whichever links lead to it. */
async function namesOf(resources: readonly Resource[], { workspace }: ToolContext): Promise<readonly string[]> {
  const named = resources.map(async (resource) => {
    if (resource.kind === 'host') return [`host ${resource.host.toLowerCase()}`];
    if (resource.kind === 'other') return [`other ${resource.name}`];
    const { fold, windows } = workspace.spelling;
    const { hops } = await workspace.locate(resource.path);
    return hops.map((hop) => `file ${fold(windows ? hop.replaceAll('\\', '/') : hop)}`);
  });
  return (await Promise.all(named)).flat();
}
