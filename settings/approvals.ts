import { createHash } from 'node:crypto';
import { join } from 'node:path';

import type { PegboardError } from 'pegboard';
import { expandPlaceholders } from 'pegboard/kit';

import { canonicalJson, isObject, own } from './object.ts';
import { realOf } from './repository.ts';
import { changeState, readState } from './state-file.ts';

/** Approved servers of projects, in `<home>/approvals.json`: outside of every repository. */
export interface ApprovalBook {
  /** The hash of the definition a person said yes to. */
  find(project: string, server: string): string | undefined;
  /** Records a yes to one definition; the error says why that failed. */
  approve(project: string, server: string, hash: string): Promise<PegboardError | undefined>;
  /** Takes a yes back; says whether there was one. */
  revoke(project: string, server: string): Promise<boolean>;
}

/** Opens the record of a home folder. */
export function openApprovals(home: string): ApprovalBook {
  const file = join(home, 'approvals.json');
  const serversOf = (state: unknown, project: string) => own(own(state, 'projects'), realOf(project));
  const write = (project: string, change: (servers: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) =>
    changeState(file, (state) => {
      const projects = own(state, 'projects');
      const servers = serversOf(state, project);
      const changed = change(isObject(servers) ? servers : {});
      return { ...state, projects: { ...(isObject(projects) ? projects : {}), [realOf(project)]: changed } };
    });
  const find = (project: string, server: string) => {
    const hash = own(serversOf(readState(file).value, project), server);
    return typeof hash === 'string' ? hash : undefined;
  };
  return {
    find,
    approve: (project, server, hash) => write(project, (servers) => ({ ...servers, [server]: hash })),
    revoke: async (project, server) => {
      if (find(project, server) === undefined) return false;
      return (await write(project, ({ [server]: _gone, ...others }) => others)) === undefined;
    },
  };
}

/** Members that change neither what runs nor where it leads. */
const HARMLESS: ReadonlySet<string> = new Set([
  'timeout',
  'totalTimeout',
  'connectTimeout',
  'fetchTimeout',
  'idleStop',
  'start',
  'disabled',
  'alwaysLoad',
  'description',
  'name',
  'title',
]);

/** The hash an approval is bound to: of everything in a definition that changes what runs or where it leads. */
export function definitionHash(definition: unknown): string {
  const counts = isObject(definition)
    ? Object.fromEntries(Object.entries(definition).filter(([name, value]) => !HARMLESS.has(name) && (value ?? undefined) !== undefined))
    : definition;
  return createHash('sha256').update(canonicalJson(counts)).digest('hex');
}

/** What a yes is bound to: the definition, and the values that the repository itself supplies for placeholders in it. */
export function approvalHash(definition: unknown, supplied: Readonly<Record<string, string>>): string {
  const used = new Map<string, string>();
  expandPlaceholders(definition, (name) => {
    if (!Object.hasOwn(supplied, name)) return undefined;
    const value = supplied[name] ?? '';
    used.set(name, value);
    return value;
  });
  const hash = definitionHash(definition);
  return used.size === 0 ? hash : definitionHash({ definition: hash, supplied: Object.fromEntries(used) });
}
