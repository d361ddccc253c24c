import { spawn } from 'node:child_process';

import { judgeUrlToOpen } from 'pegboard/kit';

/** Whether a browser was started for an address; `refused` says why an address is none for a browser. */
type OpenedUrl = { readonly kind: 'opened' } | { readonly kind: 'failed' } | { readonly kind: 'refused'; readonly why: string };

/** So long a starter may take to fail; one that is still there then is taken to work. */
const STARTING_MS = 2_000;

/** Shows an address in the person's browser where nothing speaks against it (`judgeUrlToOpen`); no shell sees it. Never rejects. */
export function openUrl(address: string | URL, platform: NodeJS.Platform): Promise<OpenedUrl> {
  const judgement = judgeUrlToOpen(String(address));
  if (judgement.kind !== 'allow') return Promise.resolve({ kind: 'refused', why: judgement.why });
  const { href } = new URL(address);
  const [command, ...before] = starterOf(platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...before, href], { stdio: 'ignore', detached: true, windowsHide: true, shell: false });
    const timer = setTimeout(() => resolve({ kind: 'opened' }), STARTING_MS);
    const settle = (kind: 'opened' | 'failed') => {
      clearTimeout(timer);
      resolve({ kind });
    };
    child.once('error', () => settle('failed'));
    child.once('exit', (code) => settle(code === 0 ? 'opened' : 'failed'));
    child.unref();
  });
}

function starterOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
