import { homedir } from 'node:os';
import { join, normalize, resolve } from 'node:path';

import type { PegboardError } from 'pegboard';
import { isWithin } from 'pegboard/kit';

import type { Judgement } from './layer.ts';
import { byCodeUnit } from './object.ts';
import { mainRoot, realOf, repositoryOf } from './repository.ts';
import { changeState, readState } from './state-file.ts';

/** Whether what comes from a folder may run. */
export type Trust =
  | { readonly kind: 'trusted'; readonly why: string }
  /** Nobody was asked or nobody said yes; `why` says what is in the way. */
  | { readonly kind: 'untrusted'; readonly why: string };

/** What trust of a folder is judged by. */
export interface TrustFacts {
  readonly folder: string;
  /** Where the folder really is, links followed; `folder` unless given. */
  readonly realpath?: string | undefined;
  /** The innermost repository around it. */
  readonly repoRoot?: string | undefined;
  /** What that repository says it shares with another one. */
  readonly gitCommonDir?: string | undefined;
  /** Whether the other one knows of it. */
  readonly worktreeRegisteredInMain?: boolean | undefined;
  /** The person's own folder. */
  readonly home?: string | undefined;
  /** The folders recorded as trusted. */
  readonly trusted?: readonly string[] | undefined;
  /** A person said yes to this folder. */
  readonly accepted?: boolean | undefined;
  /** The yes was said to a process that has ended since. */
  readonly nextSession?: boolean | undefined;
  readonly headless?: boolean | undefined;
}

/** Is the folder trusted? `ask` where a person could say yes, `deny` where there is nobody (permissions.md, statement 53). */
export function judgeTrust(facts: TrustFacts): Judgement {
  const real = normalize(facts.realpath ?? facts.folder);
  const stored = facts.home === undefined || !isWithin(real, normalize(facts.home));
  if (facts.accepted && (stored || !facts.nextSession)) return { kind: 'allow', why: 'a person said yes to it' };
  const by = (facts.trusted ?? []).find((entry) => covers(normalize(entry), real, facts));
  if (by !== undefined) return { kind: 'allow', why: `${by} is trusted` };
  if (facts.headless) return { kind: 'deny', why: 'nobody has said yes to this folder, and there is nobody to ask' };
  return { kind: 'ask', why: stored ? 'nobody has said yes to this folder' : 'a yes to the home folder holds for one session only' };
}

/** By segments; not into a repository that lies inside, and of a work tree elsewhere only if the main repository knows it. */
function covers(entry: string, real: string, facts: TrustFacts): boolean {
  if (facts.home !== undefined && isWithin(entry, normalize(facts.home))) return false;
  const main = facts.gitCommonDir === undefined ? undefined : normalize(mainRoot(facts.gitCommonDir));
  const root = facts.repoRoot === undefined ? (main === undefined || main === real ? undefined : real) : normalize(facts.repoRoot);
  if (main !== undefined && main !== root && facts.worktreeRegisteredInMain && entry === main) return true;
  const nested = root !== undefined && root !== entry && isWithin(entry, root);
  return !nested && isWithin(entry, real);
}

/** What became of a yes. */
export type Acceptance =
  /** `session`: it holds until this process ends. */
  { readonly kind: 'recorded' | 'session'; readonly folder: string } | { readonly kind: 'refused'; readonly error: PegboardError };

/** The folders a person trusts: recorded in `<home>/trust.json`, or accepted for as long as the process runs. */
export interface TrustBook {
  /** Looks at the disk each time. */
  check(folder: string): Trust;
  /** The folder that a yes would cover: the repository's root, or the folder itself. */
  covers(folder: string): string;
  /** Records a yes; for the home folder, and those above it, it holds for this process only. */
  accept(folder: string): Promise<Acceptance>;
  /** Takes a yes back; says whether there was one. */
  forget(folder: string): Promise<boolean>;
  /** What is recorded, sorted. */
  list(): readonly string[];
}

/** Opens the record of a home folder. `userHome` is the person's own folder. */
export function openTrust(options: { readonly home: string; readonly userHome?: string | undefined }): TrustBook {
  const file = join(options.home, 'trust.json');
  const userHome = realOf(options.userHome ?? homedir());
  const session = new Set<string>();
  const recorded = () => foldersOf(readState(file).value);
  const coveredBy = (folder: string) => repositoryOf(folder)?.root ?? realOf(folder);
  const write = (change: (folders: readonly string[]) => readonly string[]) =>
    changeState(file, (state) => ({ ...state, folders: change(foldersOf(state)) }));
  return {
    check: (folder) => {
      const repository = repositoryOf(folder);
      const { kind, why } = judgeTrust({
        folder: resolve(folder),
        realpath: realOf(folder),
        repoRoot: repository?.root,
        gitCommonDir: repository?.commonDir,
        worktreeRegisteredInMain: repository?.registered,
        home: userHome,
        trusted: recorded(),
        accepted: session.has(coveredBy(folder)),
      });
      return { kind: kind === 'allow' ? 'trusted' : 'untrusted', why };
    },
    covers: coveredBy,
    accept: async (folder) => {
      const covered = coveredBy(folder);
      if (isWithin(covered, userHome)) {
        session.add(covered);
        return { kind: 'session', folder: covered };
      }
      const error = await write((folders) => [...new Set([...folders, covered])].sort(byCodeUnit));
      return error ? { kind: 'refused', error } : { kind: 'recorded', folder: covered };
    },
    forget: async (folder) => {
      const covered = coveredBy(folder);
      const known = recorded().includes(covered);
      if (known) await write((folders) => folders.filter((each) => each !== covered));
      return session.delete(covered) || known;
    },
    list: recorded,
  };
}

function foldersOf(state: Readonly<Record<string, unknown>>): readonly string[] {
  const { folders } = state;
  return Array.isArray(folders) ? folders.filter((each) => typeof each === 'string').sort(byCodeUnit) : [];
}
