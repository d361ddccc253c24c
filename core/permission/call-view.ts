import { causeText } from '../errors.ts';
import type { Located, Workspace } from '../kit/workspace.ts';
import type { Resource, Tool, ToolContext } from '../tool.ts';
import type { CallParts } from './call-part.ts';
import { findPlaces, type ArgumentPlaces } from './arguments.ts';

/** What a call is about, as far as its tool and its arguments say. Everything is looked up when first asked for. */
export interface CallView {
  readonly tool: Tool;
  readonly input: unknown;
  readonly context: ToolContext;
  /** The files a tool says it reads and writes, as it names them. */
  filePaths(): readonly string[];
  /** The same, found. */
  files(): Promise<readonly Located[]>;
  /** The files a tool says it writes; of a tool that says nothing and may change things every path it is given. */
  written(): Promise<readonly Located[]>;
  /** Whether the input goes further than anybody looks, and the tool says nothing that could stand for it. */
  readonly hidden: boolean;
  /** Whether the tool says which files it writes. */
  readonly namesWrites: boolean;
  readonly readOnly: boolean;
  /** What it consists of; of a tool that crashes when asked, nothing that anybody understood. */
  parts(): Promise<CallParts | undefined>;
  /** Every path and host of the arguments, and what the tool says it reads and writes. */
  places(): Promise<Places>;
}

/** Where a call goes; `anyHost`: to a host of which nobody knows the name as well. */
interface Places {
  readonly located: readonly Located[];
  readonly hosts: readonly string[];
  readonly anyHost: boolean;
  readonly cut: boolean;
}

/** Reads a call; a tool whose own declarations crash says nothing good of itself. */
export function viewCall(tool: Tool, input: unknown, context: ToolContext): CallView {
  const { workspace } = context;
  const said = <Value>(ask: () => Value, otherwise: Value): Value => {
    try {
      return ask();
    } catch {
      return otherwise;
    }
  };
  const reads = once(() => said(() => tool.reads(input), []));
  const writes = once(() => said(() => tool.writes(input), []));
  const places = once((): ArgumentPlaces => findPlaces(input, tool.inputSchema, false));
  const deepPlaces = once((): ArgumentPlaces => findPlaces(input, tool.inputSchema, true));
  const parts = once(async (): Promise<CallParts | undefined> => {
    try {
      return await tool.parts(input, context);
    } catch (cause) {
      return {
        parts: [],
        words: { word: [], host: [], anyHost: true },
        problems: [`what it consists of cannot be told: ${causeText(cause)}`],
      };
    }
  });
  // A command as a whole is no path; its words may be.
  const wordPlaces = async (): Promise<ArgumentPlaces> => {
    const found = await parts();
    return found === undefined ? deepPlaces() : findPlaces(found.words, {}, true);
  };
  const readOnly = once(() => said(() => Object.is(tool.isReadOnly(input), true), false));
  const filePaths = () => [...filesOf(reads()), ...filesOf(writes())];
  const located = once(() => locateAll(filePaths(), workspace));
  return {
    tool,
    input,
    context,
    get readOnly() {
      return readOnly();
    },
    get hidden() {
      return !readOnly() && filesOf(writes()).length === 0 && places().cut;
    },
    get namesWrites() {
      return filesOf(writes()).length > 0;
    },
    filePaths,
    files: located,
    written: once(async () => {
      if (filesOf(writes()).length > 0) return locateAll(filesOf(writes()), workspace);
      return readOnly() ? [] : locateAll([...places().paths], workspace);
    }),
    parts,
    places: once(async () => {
      const { paths, hosts, cut } = await wordPlaces();
      return {
        located: [...(await located()), ...(await locateAll([...paths], workspace))],
        hosts: [...hosts, ...[...reads(), ...writes()].flatMap((each) => (each.kind === 'host' ? [each.host] : []))],
        anyHost: (await parts())?.words.anyHost ?? false,
        cut,
      };
    }),
  };
}

/** An edit that names its files, all of them inside the workspace. What is protected has been asked about before. */
export function editsInside({ tool, namesWrites }: CallView, written: readonly Located[]): boolean {
  return tool.kind === 'edit' && namesWrites && written.every((each) => each.kind === 'clear' && each.inside);
}

function filesOf(resources: readonly Resource[]): readonly string[] {
  return resources.flatMap((each) => (each.kind === 'file' ? [each.path] : []));
}

function locateAll(paths: readonly string[], workspace: Workspace): Promise<readonly Located[]> {
  return Promise.all(paths.map((path) => workspace.locate(path)));
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
