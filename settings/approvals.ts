/** What a person said yes to: this definition, in this project. */
export interface Approval {
  readonly hash: string;
}

/** Approved servers of projects, in `<home>/approvals.json`: outside of every repository. */
export interface ApprovalBook {
  find(project: string, server: string): Approval | undefined;
  approve(project: string, server: string, hash: string): Promise<void>;
  /** Takes a yes back; says whether there was one. */
  revoke(project: string, server: string): Promise<boolean>;
}

export declare function openApprovals(home: string): ApprovalBook;

/** The hash an approval is bound to: of everything in a definition that changes what runs or where it leads. */
export declare function definitionHash(definition: unknown): string;
