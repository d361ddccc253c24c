import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

import { createHost, type Contributions, type Host, type Plugin } from 'pegboard';
import { packedFolders, type PackedContents, type PackedProblem, type ReadPacked } from 'pegboard/builtin-plugins';

/** Files of a folder by their paths: a text, an object for JSON, or where a link leads. */
export type Files = Readonly<Record<string, string | object | { readonly link: string }>>;

/** Writes files below a folder. */
export async function put(folder: string, files: Files): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    if (typeof content === 'object' && 'link' in content) await symlink(content.link, file);
    else await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    if (path.endsWith('.sh')) await chmod(file, 0o755);
  }
  return folder;
}

/** Reads a folder that must load. */
export async function loaded(folder: string): Promise<PackedContents> {
  const read = (await packedFolders()).readPacked({ folder });
  if (read.kind === 'loads') return read;
  throw new Error(read.problems.map(({ error }) => error.message).join('\n'));
}

/** The types of what is wrong with it; notes have none. */
export function typesOf({ problems }: ReadPacked): readonly string[] {
  return problems.flatMap((problem) => (problem.kind === 'error' ? [problem.type] : []));
}

/** Everything that is said of it. */
export function wordsOf(problems: readonly PackedProblem[]): string {
  return problems.map(({ error }) => error.message).join('\n');
}

/** A host with one packed folder, and what it offers at each point. */
export async function offered(
  folder: string,
  home: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly host: Host; readonly offers: Partial<Contributions>; readonly reports: readonly string[] }> {
  const offers: { [Point in keyof Contributions]?: Contributions[Point] } = {};
  const reports: string[] = [];
  const points = ['skill.folder', 'command.folder', 'agent.folder', 'hook.config', 'mcp.server'] as const;
  const reader: Plugin = {
    name: 'reader',
    setup: (scope) => points.forEach((point) => scope.follow(point, (all) => Object.assign(offers, { [point]: all }))),
  };
  const plugin = (await packedFolders()).packedPlugin(await loaded(folder), { trusted: true, options, project: home });
  const host = await createHost({
    builtins: [reader],
    plugins: [plugin],
    home,
    cwd: home,
    listen: (event) => (event.kind === 'report' ? void reports.push(event.message) : undefined),
  });
  return { host, offers, reports };
}

/** One entry of an archive that is made by hand, so that it can be one that no packer makes. */
export interface MadeEntry {
  readonly name: string;
  readonly content?: string;
  readonly mode?: number;
  /** What the list says of its size. */
  readonly size?: number;
}

/** A zip archive, entry by entry as they are given. */
export function zipOf(entries: readonly MadeEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content = '', mode = 0o100644, size } of entries) {
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const path = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(path.length, 26);
    const listed = Buffer.alloc(46);
    listed.writeUInt32LE(0x02014b50, 0);
    listed.writeUInt8(3, 5);
    listed.writeUInt16LE(8, 10);
    listed.writeUInt32LE(crc32(raw), 16);
    listed.writeUInt32LE(packed.length, 20);
    listed.writeUInt32LE(size ?? raw.length, 24);
    listed.writeUInt16LE(path.length, 28);
    listed.writeUInt16LE(mode, 40);
    listed.writeUInt32LE(at, 42);
    bodies.push(local, path, packed);
    list.push(listed, path);
    at += 30 + path.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...list, end]);
}
