/** Whether what comes from a folder may run. */
export type Trust =
  | { readonly kind: 'trusted'; readonly by: string }
  /** Nobody was asked or nobody said yes; `why` says what is in the way. */
  | { readonly kind: 'untrusted'; readonly why: string };

/** What trust of a folder is judged by. */
export interface TrustFacts {
  readonly folder: string;
  /** Where the folder really is, links followed; `folder` unless given. */
  readonly realpath?: string | undefined;
  readonly repoRoot?: string | undefined;
  readonly gitCommonDir?: string | undefined;
  readonly worktreeRegisteredInMain?: boolean | undefined;
  /** Of the person. */
  readonly home?: string | undefined;
  readonly trusted?: readonly string[] | undefined;
  /** A person said yes in this process. */
  readonly accepted?: boolean | undefined;
}

/** The folders a person trusts: recorded in `<home>/trust.json`, or accepted for as long as the process runs. */
export interface TrustBook {
  /** Looks at the disk each time. */
  check(folder: string): Trust;
  /** The folder that a yes would cover: the repository's root, or the folder itself. */
  covers(folder: string): string;
  /** Records a yes; for the home folder, and those above it, it holds for this process only. */
  accept(folder: string): Promise<{ readonly kind: 'recorded' | 'session'; readonly folder: string }>;
  /** Takes a yes back. */
  forget(folder: string): Promise<boolean>;
  /** What is recorded, sorted. */
  list(): readonly string[];
}

export declare function openTrust(options: { readonly home: string; readonly userHome?: string | undefined }): TrustBook;
