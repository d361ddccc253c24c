import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A process, told apart from every other one that ever has its number on this machine since it was booted. */
interface Identity {
  readonly pid: number;
  /** As the system words it. */
  readonly started: string;
}
interface Seen extends Identity {
  readonly group: number;
}
interface Entry {
  /** The machine since its last boot, and the space in which its process numbers count. */
  readonly place: string;
  readonly host: Identity;
  /** The first leads the group, the others were seen in it. */
  readonly processes: readonly Identity[];
}

/** What a wrapper starts comes a little after the wrapper. */
const LOOK_AGAIN_MS: readonly number[] = [1_000, 10_000];
const PATIENCE_MS = 500;
const POLL_MS = 25;
/** Entries of other machines, which share the folder, are theirs to sweep; after so long nobody will. */
const FOREIGN_DAYS = 30;

/**
 * Remembers in a folder which groups of processes this host has started, so that those of a host that was killed can be found and
 * ended later. A process is known by its number and the moment it started: nobody else's is ever touched. Never fails.
 */
export class ProcessLedger {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #noted = new Map<number, { readonly timers: readonly NodeJS.Timeout[]; written: Promise<void> }>();
  #place: Promise<string> | undefined;

  /** `now` in milliseconds since 1970. */
  constructor(options: { readonly folder: string; readonly now: () => number }) {
    this.#folder = options.folder;
    this.#now = options.now;
  }

  /** Notes the leader of a group that this process has just started. */
  note(pid: number): void {
    const write = () => {
      const noted = this.#noted.get(pid);
      if (noted) noted.written = noted.written.then(() => this.#write(pid)).catch(() => undefined);
    };
    const timers = LOOK_AGAIN_MS.map((ms) => setTimeout(write, ms).unref());
    this.#noted.set(pid, { timers, written: Promise.resolve() });
    write();
  }

  /** The group is gone. */
  async forget(pid: number): Promise<void> {
    const noted = this.#noted.get(pid);
    this.#noted.delete(pid);
    noted?.timers.forEach(clearTimeout);
    await noted?.written;
    await this.#remove(fileOf(process.pid, pid));
  }

  /** Ends what hosts that are gone have left running, politely and then by force. Gives how many groups that were. */
  async sweep(): Promise<number> {
    const files = await readdir(this.#folder).catch(() => []);
    const swept = await Promise.all(files.filter((file) => FILE.test(file)).map((file) => this.#sweepOne(file).catch(() => false)));
    return swept.filter(Boolean).length;
  }

  async #write(pid: number): Promise<void> {
    const [place, host, leader] = await Promise.all([this.#here(), lookAt(process.pid), lookAt(pid)]);
    if (host === undefined || leader === undefined) return;
    const entry: Entry = { place, host: identity(host), processes: [leader, ...(await descendants(pid))].map(identity) };
    if (!this.#noted.has(pid)) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#folder, fileOf(process.pid, pid)), JSON.stringify(entry), { mode: 0o600 });
  }

  async #sweepOne(file: string): Promise<boolean> {
    const entry = entryOf(await readFile(join(this.#folder, file), 'utf8'));
    if (entry === undefined) return this.#remove(file);
    if (entry.place !== (await this.#here())) return this.#removeOld(file);
    if (await isAlive(entry.host)) return false;
    const group = entry.processes[0]?.pid ?? 0;
    const found = await isOurs(entry, group);
    if (found) await endGroup(group);
    await this.#remove(file);
    return found;
  }

  async #removeOld(file: string): Promise<boolean> {
    const { mtimeMs } = await stat(join(this.#folder, file));
    return this.#now() - mtimeMs > FOREIGN_DAYS * 86_400_000 ? this.#remove(file) : false;
  }

  async #remove(file: string): Promise<false> {
    await rm(join(this.#folder, file), { force: true }).catch(() => undefined);
    return false;
  }

  #here(): Promise<string> {
    return (this.#place ??= placeOf());
  }
}

const FILE = /^\d+-\d+\.json$/;

function fileOf(host: number, pid: number): string {
  return `${host}-${pid}.json`;
}

function identity({ pid, started }: Seen): Identity {
  return { pid, started };
}

function entryOf(text: string): Entry | undefined {
  try {
    const { place, host, processes } = JSON.parse(text) as Partial<Entry>;
    const known = typeof place === 'string' && isIdentity(host) && Array.isArray(processes) && processes.length > 0;
    return known && processes.every(isIdentity) ? { place, host, processes } : undefined;
  } catch {
    return undefined;
  }
}

/** A group number of 0 or 1 would reach this process's own group, or everything. */
function isIdentity(value: unknown): value is Identity {
  const { pid, started } = (value ?? {}) as Partial<Identity>;
  return Number.isSafeInteger(pid) && (pid ?? 0) > 1 && typeof started === 'string';
}

/** A group lives as long as one of its processes, and its number is given to nobody else until then. */
async function isOurs({ processes }: Entry, group: number): Promise<boolean> {
  const seen = await Promise.all(processes.map(({ pid }) => lookAt(pid)));
  return seen.some((now, at) => now !== undefined && now.group === group && now.started === processes[at]?.started);
}

/** Known to be ours, it is while it is watched: its number is given to nobody else before all of it is gone. */
async function endGroup(group: number): Promise<void> {
  signal(group, 'SIGTERM');
  if (await isGone(group)) return;
  signal(group, 'SIGKILL');
  await isGone(group);
}

/** Whether nothing of a group is left within the patience. */
async function isGone(group: number): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS && signal(group, 0); waited += POLL_MS) await delay(POLL_MS);
  return !signal(group, 0);
}

/** False when nothing of the group is left. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

async function isAlive({ pid, started }: Identity): Promise<boolean> {
  return (await lookAt(pid))?.started === started;
}

async function placeOf(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${boot.trim()} ${space}`;
}

/** A process as it is now; `undefined` for one that has ended, collected by its parent or not. */
async function lookAt(pid: number): Promise<Seen | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (line === undefined) return (await hasProcessFiles()) ? undefined : lookWithPs(pid);
  // The second field is the program's name in brackets, which may hold anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group = ''] = fields;
  return /[ZX]/.test(state) ? undefined : { pid, started: fields[19] ?? '', group: Number(group) };
}

function hasProcessFiles(): Promise<boolean> {
  return stat('/proc/self/stat').then(
    () => true,
    () => false,
  );
}

async function lookWithPs(pid: number): Promise<Seen | undefined> {
  const answer = await promisify(execFile)('ps', ['-o', 'pgid=,stat=,lstart=', '-p', String(pid)]).catch(() => undefined);
  const [, group, state = '', started] = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(answer?.stdout ?? '') ?? [];
  return started === undefined || state.startsWith('Z') ? undefined : { pid, started, group: Number(group) };
}

/** What a process has started, and they in turn; nothing where the system does not tell. */
async function descendants(pid: number): Promise<readonly Seen[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = await Promise.all(
    text
      .split(' ')
      .filter(Boolean)
      .map(async (child) => [await lookAt(Number(child)), ...(await descendants(Number(child)))]),
  );
  return children.flat().filter((each) => each !== undefined);
}
