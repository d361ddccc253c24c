import { dirname } from 'node:path';

import type { ServerOffer } from 'pegboard';

import { approvalHash, type ApprovalBook } from './approvals.ts';
import type { Entry, Sheet } from './entry.ts';
import { judgeConnect, type ConnectFacts } from './judge-connect.ts';
import type { Place } from './layer.ts';
import { own } from './object.ts';

/** A server that some layer or `.mcp.json` defines. Of one name all are listed, the highest first. */
export interface FoundServer {
  readonly name: string;
  readonly scope: 'managed' | 'cli' | 'local' | 'project' | 'user';
  readonly definition: unknown;
  readonly place: Place;
  /** Of the definition and of what the repository fills into it: what an approval is bound to. */
  readonly hash: string;
  readonly state: ServerState;
}

/** What is to become of a server. */
export type ServerState =
  | { readonly kind: 'ready'; readonly offer: ServerOffer }
  /** Waits for trust in the folder, or for a person's approval; `changed` says it was approved with another definition. */
  | { readonly kind: 'waiting'; readonly on: 'trust' | 'approval'; readonly changed: boolean; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** Offered as such, so that nobody lower starts one of this name. */
  | { readonly kind: 'disabled'; readonly offer: ServerOffer }
  | { readonly kind: 'shadowed'; readonly by: Place };

/** What decides about servers beside their definitions. */
export interface ServerContext {
  readonly project: string;
  readonly trusted: boolean;
  readonly approvals: ApprovalBook;
  /** Why a policy forbids it. */
  readonly refusal: (name: string, definition: unknown) => string | undefined;
  /** Values for placeholders beside the environment's. What a repository sets fills its own servers only: in another's it could lead keys elsewhere. */
  readonly variables: { readonly repository: Readonly<Record<string, string>>; readonly own: Readonly<Record<string, string>> };
  /** Those among them that the repository sets, or would if it were trusted. */
  readonly supplied: Readonly<Record<string, string>>;
}

/**
 * Every server that is defined somewhere. A whole definition counts by name, the highest layer's; one that waits or is refused does
 * not stand in the way of a lower one.
 */
export function serversOf(entries: readonly Entry[], offers: readonly ServerOffer[], context: ServerContext): readonly FoundServer[] {
  const given = offers.map((offer) => ({
    name: offer.name,
    definition: offer.definition,
    scope: 'cli' as const,
    by: 'cli' as const,
    place: { layer: 'cli' as const, source: offer.origin },
    folder: offer.folder,
  }));
  const written = entries.flatMap(({ path: [area, name], value, sheet, place }) =>
    area === 'mcpServers' && name !== undefined
      ? [{ name, definition: value, scope: scopeOf(sheet), by: sheet.by, place, folder: folderOf(sheet) }]
      : [],
  );
  const managed = written.filter(({ scope }) => scope === 'managed');
  const taken = new Map<string, Place>();
  return [...managed, ...given, ...written.filter((each) => !managed.includes(each))].map((each) => {
    const hash = approvalHash(each.definition, context.supplied);
    const state = stateOf({ ...each, hash }, taken.get(each.name), context);
    if (state.kind === 'ready' || state.kind === 'disabled') taken.set(each.name, each.place);
    const { name, scope, definition, place } = each;
    return { name, scope, definition, place, hash, state };
  });
}

type Candidate = Omit<FoundServer, 'state'> & { readonly by: Sheet['by']; readonly folder: string };

function stateOf(server: Candidate, shadow: Place | undefined, context: ServerContext): ServerState {
  const { name, definition, hash, place, folder } = server;
  const refused = context.refusal(name, definition);
  if (refused !== undefined) return { kind: 'refused', why: refused };
  const facts = factsOf(server, context);
  if (facts.scope === 'project' && !context.trusted)
    return { kind: 'waiting', on: 'trust', changed: false, why: 'the folder is not trusted' };
  if (shadow) return { kind: 'shadowed', by: shadow };
  const variables = server.by === 'repository' ? context.variables.repository : context.variables.own;
  const offer = { name, definition, origin: place.source, folder, variables };
  if (own(definition, 'disabled') === true) return { kind: 'disabled', offer };
  const { kind, why } = judgeConnect(facts);
  if (kind === 'allow') return { kind: 'ready', offer };
  const changed = facts.approvedConfigHash !== undefined && facts.approvedConfigHash !== hash;
  return { kind: 'waiting', on: 'approval', changed, why };
}

/** What a folder brings is the project's, also in a person's local file while the folder is not trusted. */
function factsOf({ name, scope, by, hash }: Candidate, { project, trusted, approvals }: ServerContext): ConnectFacts {
  if (by !== 'repository' && !(by === 'own' && !trusted)) return { server: name, scope };
  const approved = approvals.find(project, name);
  return {
    server: name,
    scope: 'project',
    workspaceTrusted: trusted,
    approved: approved !== undefined,
    approvalSource: 'user',
    approvedConfigHash: approved,
    configHash: hash,
  };
}

function scopeOf({ layer }: Sheet): FoundServer['scope'] {
  switch (layer) {
    case 'managed':
    case 'cli':
    case 'local':
    case 'user':
      return layer;
    case 'project':
    case 'found':
    case 'claude':
    case 'default':
      return 'project';
  }
}

/** Relative paths of a definition begin beside the file; those of `.pegboard/` in the project's folder. */
function folderOf({ folder, source, by }: Sheet): string {
  return by === 'cli' && source.startsWith('-') ? folder : by === 'user' || by === 'cli' ? dirname(source) : folder;
}
