import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

import { causeText } from 'pegboard';

/** The programs that a sandbox is made with here, absolute. */
export interface SandboxParts {
  readonly bwrap: string;
  readonly socat: string;
  readonly rg: string;
}

/** What is there, or in one sentence what is missing and how that is mended. */
export type FoundParts = { readonly kind: 'found'; readonly parts: SandboxParts } | { readonly kind: 'missing'; readonly why: string };

const PACKAGE = '@anthropic-ai/sandbox-runtime';
const VERSION = '0.0.78';
const DEBIAN: Readonly<Record<string, string>> = { bwrap: 'bubblewrap', socat: 'socat', rg: 'ripgrep' };
const PROBE_MS = 10_000;

/** Looks for every part and tries whether a sandbox can be made at all. */
export async function findParts(path: string | undefined, platform: NodeJS.Platform = process.platform): Promise<FoundParts> {
  if (platform !== 'linux') return missing(`the sandbox works on Linux only, and this is ${platform}`);
  if (!(await canLoad())) return missing(`the package ${PACKAGE} is not installed; \`npm install ${PACKAGE}@${VERSION}\` mends that`);
  const [bwrap, socat] = [programOn(path, 'bwrap'), programOn(path, 'socat')];
  const rg = programOn(path, 'rg') ?? (await packedRipgrep());
  const absent = Object.entries({ bwrap, socat, rg }).flatMap(([name, found]) => (found === undefined ? [name] : []));
  if (bwrap === undefined || socat === undefined || rg === undefined) {
    const packages = absent.map((name) => DEBIAN[name] ?? name).join(' ');
    return missing(
      `${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not on PATH; \`apt-get install ${packages}\` mends that on Debian and Ubuntu`,
    );
  }
  const refusal = await probe(bwrap);
  return refusal === undefined ? { kind: 'found', parts: { bwrap, socat, rg } } : missing(refusal);
}

function missing(why: string): FoundParts {
  return { kind: 'missing', why };
}

async function canLoad(): Promise<boolean> {
  try {
    import.meta.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

function programOn(path: string | undefined, name: string): string | undefined {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find((program) => isRunnable(program));
}

function isRunnable(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function packedRipgrep(): Promise<string | undefined> {
  return import('@vscode/ripgrep').then(
    ({ rgPath }) => (isRunnable(rgPath) ? rgPath : undefined),
    () => undefined,
  );
}

/** A kernel, a container or a policy may forbid what the program needs. */
async function probe(bwrap: string): Promise<string | undefined> {
  const args = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '/bin/true'];
  try {
    await promisify(execFile)(bwrap, args, { timeout: PROBE_MS });
    return undefined;
  } catch (cause) {
    const { stderr = '' } = cause as { readonly stderr?: string };
    const said = stderr.trim().split('\n')[0] ?? '';
    return `bwrap cannot make a sandbox here (${said === '' ? causeText(cause) : said}); allow unprivileged user namespaces`;
  }
}
