import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

import { listenHere } from './listen-here.ts';

/** One version of a package in the registry. */
export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the registry says of the tarball instead of the truth. */
  readonly integrity?: string | undefined;
  /** Its address leads on to another one first. */
  readonly redirects?: true | undefined;
}

/** A small registry of npm packages over HTTP. */
export interface NpmRegistry {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Starts one with these packages; of one name the last is the latest. */
export async function npmRegistry(packages: readonly RegistryPackage[]): Promise<NpmRegistry> {
  const asked: string[] = [];
  const tarballs = new Map(
    packages.map((each) => [`/tarballs/${encodeURIComponent(each.name)}-${each.version}.tgz`, { each, bytes: tarOf(each.files) }]),
  );
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    asked.push(decodeURIComponent(path));
    const tarball = tarballs.get(path.replace(/^\/moved/, ''));
    if (tarball) {
      if (tarball.each.redirects && !path.startsWith('/moved')) return void response.writeHead(302, { location: `/moved${path}` }).end();
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball.bytes);
    }
    const name = decodeURIComponent(path.slice(1));
    const versions = packages.filter((each) => each.name === name);
    if (versions.length === 0) return void response.writeHead(404).end('{"error":"not found"}');
    const origin = `http://${request.headers.host ?? ''}`;
    const entries = versions.map((each) => {
      const at = `/tarballs/${encodeURIComponent(each.name)}-${each.version}.tgz`;
      const bytes = tarballs.get(at)?.bytes ?? Buffer.alloc(0);
      const integrity = each.integrity ?? `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const manifest = JSON.parse(each.files['package.json'] ?? '{}') as object;
      return [each.version, { ...manifest, name, version: each.version, dist: { tarball: `${origin}${at}`, integrity } }] as const;
    });
    const packument = { name, 'dist-tags': { latest: versions.at(-1)?.version }, versions: Object.fromEntries(entries) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument));
  });
  const { url, close } = await listenHere(server);
  return { url: `${url}/`, asked, close };
}

/** A gzipped tarball; a name that begins with `package/` or is told whole (`../x`, `/x`) stands as it is given. */
function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(/^(\.\.|\/)/.test(name) ? name : `package/${name}`, 0);
    header.write('0000644\0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        ', 148);
    header.write('0', 156);
    header.write('ustar\0', 257);
    header.write('00', 263);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
