import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

import { causeText } from 'pegboard';

import type { ShellPlace } from '../working-directory.ts';
import type { SandboxRules } from './confinement.ts';
import { gitExcludes } from './git-excludes.ts';
import { findParts, type FoundParts, type SandboxParts } from './missing-parts.ts';
import type { SandboxSettings } from './options.ts';
import { absentDetours, protectedPlaces, secretPlaces } from './protected-places.ts';
import type { Inside, Sandbox } from './sandbox.ts';

type Runtime = typeof import('@anthropic-ai/sandbox-runtime');

/** What a sandbox is made for. */
export interface SandboxPlace {
  readonly cwd: string;
  /** Folders of the host's own: nothing inside reads or writes them. */
  readonly own: readonly string[];
  readonly path: string | undefined;
}

/** The sandbox that the settings describe. Its parts are looked for when first asked about, and started with the first run inside. */
export class RuntimeSandbox implements Sandbox {
  /** The runtime is one for the whole process: whoever started it has it alone, because its network rules are for everybody. */
  static readonly #holders = new Set<RuntimeSandbox>();
  readonly #settings: SandboxSettings;
  readonly #place: SandboxPlace;
  #found: Promise<FoundParts> | undefined;
  #started: Promise<Runtime> | undefined;
  #folder: string | undefined;

  constructor(settings: SandboxSettings, place: SandboxPlace) {
    this.#settings = settings;
    this.#place = place;
  }

  async rules(): Promise<SandboxRules> {
    const { enabled, failIfUnavailable, autoAllowBashIfSandboxed, allowUnsandboxedCommands, excludedCommands } = this.#settings;
    const found = enabled ? await this.#find() : undefined;
    return {
      mode: !enabled ? 'off' : failIfUnavailable ? 'required' : 'on',
      autoAllow: autoAllowBashIfSandboxed,
      mayLeave: allowUnsandboxedCommands,
      excluded: excludedCommands,
      missing: found?.kind === 'missing' ? `the sandbox is not available: ${found.why}` : undefined,
    };
  }

  async open(place: ShellPlace, roots: readonly string[], signal: AbortSignal): Promise<Exclude<Inside, { readonly kind: 'outside' }>> {
    try {
      const found = await this.#find();
      if (found.kind === 'missing') return { kind: 'refused', why: `the sandbox is not available: ${found.why}` };
      const { SandboxManager } = await (this.#started ??= this.#start(found.parts));
      const filesystem = await this.#filesystem(roots);
      const wrap = async (argv: readonly string[]) => {
        const line = `TMPDIR=${quoted(this.#folder ?? tmpdir())} exec ${argv.map(quoted).join(' ')}`;
        const { argv: given } = await SandboxManager.wrapWithSandboxArgv(line, BASH, { filesystem }, signal, place.directory);
        // A bash whose input is a socket takes itself for one that somebody logged in to, and runs the person's start-up files.
        return [BASH, '--noprofile', '--norc', '-c', `exec </dev/null; ${given.at(-1) ?? ''}`];
      };
      const absent = absentDetours(roots);
      const done = async () => {
        SandboxManager.cleanupAfterCommand();
        return takeAway(absent);
      };
      const marks = filesystem.denyWrite.filter((path) => !existsSync(path));
      const env = await gitExcludes(marks, join(this.#folder ?? tmpdir(), 'git-excludes'), homedir());
      return { kind: 'sandboxed', wrap, done, env };
    } catch (cause) {
      this.#started = undefined;
      return { kind: 'refused', why: `the sandbox could not be opened: ${causeText(cause)}` };
    }
  }

  async close(): Promise<void> {
    const started = await this.#started?.catch(() => undefined);
    this.#started = undefined;
    RuntimeSandbox.#holders.delete(this);
    await started?.SandboxManager.reset();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #find(): Promise<FoundParts> {
    const { path } = this.#place;
    const found = await (this.#found ??= findParts(path));
    const taken = [...RuntimeSandbox.#holders].some((holder) => holder !== this);
    return taken ? { kind: 'missing', why: 'another host of this process has it; close that one first' } : found;
  }

  async #start({ bwrap, socat, rg }: SandboxParts): Promise<Runtime> {
    RuntimeSandbox.#holders.add(this);
    const runtime = await import('@anthropic-ai/sandbox-runtime');
    this.#folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const { allowedDomains, deniedDomains } = this.#settings;
    const before = SIGNALS.map((signal) => process.rawListeners(signal));
    await runtime.SandboxManager.initialize({
      network: { allowedDomains: [...allowedDomains], deniedDomains: [...deniedDomains] },
      filesystem: await this.#filesystem([this.#place.cwd]),
      ripgrep: { command: rg },
      // It looks around the folder of this process; ours are looked through by themselves.
      mandatoryDenySearchDepth: 1,
      bwrapPath: bwrap,
      socatPath: socat,
    });
    // It would keep the process from ending by a signal; whoever owns this host closes it.
    SIGNALS.forEach((signal, at) => {
      for (const each of process.rawListeners(signal)) if (!before[at]?.includes(each)) process.off(signal, each as () => void);
    });
    return runtime;
  }

  async #filesystem(roots: readonly string[]) {
    const { allowWrite, denyWrite, denyRead } = this.#settings;
    const { own } = this.#place;
    const userHome = homedir();
    const paths = (given: readonly string[]) => given.map((path) => this.#absolute(path));
    const writable = [...new Set([...roots, ...paths(allowWrite)])];
    const guarded = await Promise.all(writable.map(protectedPlaces));
    return {
      denyRead: [...paths(denyRead), ...own, ...secretPlaces(userHome)],
      allowWrite: [...writable, ...(this.#folder === undefined ? [] : [this.#folder])],
      denyWrite: [...paths(denyWrite), ...own, ...RUNTIME_DEFAULTS.map((name) => join(userHome, name)), ...guarded.flat()],
    };
  }

  #absolute(path: string): string {
    const { cwd } = this.#place;
    const userHome = homedir();
    const named = path === '~' ? userHome : path.startsWith('~/') ? join(userHome, path.slice(2)) : path;
    return isAbsolute(named) ? named.replace(/(.)\/+$/, '$1') : resolve(cwd, named);
  }
}

/** Moves out of the way what must not have been made. */
async function takeAway(paths: readonly string[]): Promise<string | undefined> {
  const made = paths.filter((path) => existsSync(path));
  await Promise.all(made.map((path) => rename(path, `${path}.from-sandbox`)));
  return made.length === 0 ? undefined : `Protected and moved away: ${made.join(', ')}.`;
}

const BASH = '/bin/bash';
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** What the runtime lets everybody write to by itself. */
const RUNTIME_DEFAULTS = ['.npm/_logs', '.claude/debug'];

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
