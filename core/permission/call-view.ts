import { causeText } from '../errors.ts';
import type { Located } from '../kit/workspace.ts';
import type { CallWorkspace, Resource, Tool, ToolContext } from '../tool.ts';
import type { CallParts } from './call-part.ts';
import { findPlaces, type ArgumentPlaces } from './arguments.ts';

/** Where a call goes; `anyHost`: to a host of which nobody knows the name as well. */
interface Places {
  readonly located: readonly Located[];
  readonly hosts: readonly string[];
  readonly anyHost: boolean;
  readonly cut: boolean;
}

/**
 * What a call is about, as far as its tool and its arguments say. Everything is looked up when first asked for; a tool whose own
 * declarations crash says nothing good of itself.
 */
export class CallView {
  readonly tool: Tool;
  readonly input: unknown;
  readonly context: ToolContext;
  #workspace: CallWorkspace | undefined;
  #reads: readonly Resource[] | undefined;
  #writes: readonly Resource[] | undefined;
  #readOnly: boolean | undefined;
  #shallow: ArgumentPlaces | undefined;
  #files: Promise<readonly Located[]> | undefined;
  #written: Promise<readonly Located[]> | undefined;
  #parts: Promise<CallParts | undefined> | undefined;
  #places: Promise<Places> | undefined;

  constructor(tool: Tool, input: unknown, context: ToolContext) {
    this.tool = tool;
    this.input = input;
    this.context = context;
  }

  /** The workspace as it is while the call is looked at. */
  get workspace(): CallWorkspace {
    return (this.#workspace ??= { hides: this.context.workspace.hides, ...this.context.workspace.moment() });
  }

  get readOnly(): boolean {
    return (this.#readOnly ??= said(() => Object.is(this.tool.isReadOnly(this.input), true), false));
  }

  /** Whether the input goes further than anybody looks, and the tool says nothing that could stand for it. */
  get hidden(): boolean {
    return !this.readOnly && !this.namesWrites && this.#argumentPlaces().cut;
  }

  /** Whether the tool says which files it writes. */
  get namesWrites(): boolean {
    return filesOf(this.#declared().writes).length > 0;
  }

  /** The files a tool says it reads and writes, as it names them. */
  filePaths(): readonly string[] {
    const { reads, writes } = this.#declared();
    return [...filesOf(reads), ...filesOf(writes)];
  }

  /** The same, found. */
  files(): Promise<readonly Located[]> {
    return (this.#files ??= this.#locate(this.filePaths()));
  }

  /** The files a tool says it writes; of a tool that says nothing and may change things every path it is given. */
  written(): Promise<readonly Located[]> {
    return (this.#written ??= this.#locate(
      this.namesWrites ? filesOf(this.#declared().writes) : this.readOnly ? [] : [...this.#argumentPlaces().paths],
    ));
  }

  /** What it consists of; of a tool that crashes when asked, nothing that anybody understood. */
  parts(): Promise<CallParts | undefined> {
    return (this.#parts ??= this.#askParts());
  }

  /** Every path and host of the arguments, and what the tool says it reads and writes. */
  places(): Promise<Places> {
    return (this.#places ??= this.#findPlaces());
  }

  async #askParts(): Promise<CallParts | undefined> {
    try {
      return await this.tool.parts(this.input, momentary(this.context, this.workspace));
    } catch (cause) {
      return {
        parts: [],
        words: { word: [], host: [], anyHost: true },
        problems: [`what it consists of cannot be told: ${causeText(cause)}`],
      };
    }
  }

  /** A command as a whole is no path; its words may be. */
  async #findPlaces(): Promise<Places> {
    const words = (await this.parts())?.words;
    const { paths, hosts, cut } = words ? findPlaces(words, {}, true) : findPlaces(this.input, this.tool.inputSchema, true);
    const { reads, writes } = this.#declared();
    return {
      located: [...(await this.files()), ...(await this.#locate([...paths]))],
      hosts: [...hosts, ...[...reads, ...writes].flatMap((each) => (each.kind === 'host' ? [each.host] : []))],
      anyHost: words?.anyHost ?? false,
      cut,
    };
  }

  #argumentPlaces(): ArgumentPlaces {
    return (this.#shallow ??= findPlaces(this.input, this.tool.inputSchema, false));
  }

  #declared(): { readonly reads: readonly Resource[]; readonly writes: readonly Resource[] } {
    const { tool, input } = this;
    return {
      reads: (this.#reads ??= said(() => tool.reads(input), [])),
      writes: (this.#writes ??= said(() => tool.writes(input), [])),
    };
  }

  async #locate(paths: readonly string[]): Promise<readonly Located[]> {
    return paths.length === 0 ? [] : Promise.all(paths.map((path) => this.workspace.locate(path)));
  }
}

/** Written out: a spread before other members costs more than all of it. */
function momentary({ callId, signal, pool, results, tasks, report, state, call, ask }: ToolContext, workspace: CallWorkspace): ToolContext {
  return { callId, signal, workspace, pool, results, tasks, report, state, call, ask };
}

function said<Value>(ask: () => Value, otherwise: Value): Value {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

/** An edit that names its files, all of them inside the workspace. What is protected has been asked about before. */
export function editsInside({ tool, namesWrites }: CallView, written: readonly Located[]): boolean {
  return tool.kind === 'edit' && namesWrites && written.every((each) => each.kind === 'clear' && each.inside);
}

function filesOf(resources: readonly Resource[]): readonly string[] {
  return resources.flatMap((each) => (each.kind === 'file' ? [each.path] : []));
}
