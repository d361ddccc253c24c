import type { Judgement } from './layer.ts';

/** What is known of one value of one layer when it is decided whether it counts. */
export interface SettingFacts {
  readonly key: string;
  readonly value?: unknown;
  readonly source: 'managed' | 'cli' | 'local' | 'project' | 'user';
  /** Is the folder trusted? */
  readonly trusted?: boolean | undefined;
  /** Values of the organisation's policy. */
  readonly managed?: Readonly<Record<string, unknown>> | undefined;
  /** Does the policy file belong to the administrator alone? */
  readonly ownerIsAdmin?: boolean | undefined;
  /** A local file that the repository could have brought is the repository's. */
  readonly trackedInGit?: boolean | undefined;
  readonly configDirIsSymlink?: boolean | undefined;
}

/** Does this layer's value count? (permissions.md, statements 52 and 54) */
export declare function judgeSetting(facts: SettingFacts): Judgement;

/** What is known of a server when it is decided whether it may start. */
export interface ConnectFacts {
  readonly server: string;
  readonly scope: 'managed' | 'cli' | 'local' | 'project' | 'user' | 'plugin';
  readonly workspaceTrusted?: boolean | undefined;
  readonly approved?: boolean | undefined;
  readonly approvalSource?: 'repo' | 'user' | undefined;
  readonly approvedConfigHash?: string | undefined;
  readonly configHash?: string | undefined;
  readonly approvedToolsHash?: string | undefined;
  readonly toolsHash?: string | undefined;
  readonly changed?: readonly string[] | undefined;
  readonly disabledByManaged?: boolean | undefined;
  readonly headless?: boolean | undefined;
}

/** May this server start? (statement 56) */
export declare function judgeConnect(facts: ConnectFacts): Judgement;

/** Values with everything secret in them replaced by stars: environment, headers, keys and tokens by name, passwords in addresses. */
export declare function maskSecrets(key: string, value: unknown): unknown;
