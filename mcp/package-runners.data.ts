/** A program that fetches what it is to run, unless it is there already. */
export interface PackageRunner {
  /** The program, and the words that have to follow for it to do so. */
  readonly words: readonly [program: string, ...more: string[]];
  readonly fetches: 'package' | 'image' | 'program';
  /** Takes what is installed in the nearest `node_modules`, where it is there. */
  readonly inModules?: true;
}

export const PACKAGE_RUNNERS: readonly PackageRunner[] = [
  { words: ['npx'], fetches: 'package', inModules: true },
  { words: ['bunx'], fetches: 'package', inModules: true },
  { words: ['pnpx'], fetches: 'package', inModules: true },
  { words: ['npm', 'exec'], fetches: 'package', inModules: true },
  { words: ['npm', 'x'], fetches: 'package', inModules: true },
  { words: ['bun', 'x'], fetches: 'package', inModules: true },
  { words: ['pnpm', 'dlx'], fetches: 'package' },
  { words: ['yarn', 'dlx'], fetches: 'package' },
  { words: ['deno', 'run'], fetches: 'package' },
  { words: ['uvx'], fetches: 'package' },
  { words: ['uv', 'tool', 'run'], fetches: 'package' },
  { words: ['uv', 'run'], fetches: 'package' },
  { words: ['pipx', 'run'], fetches: 'package' },
  { words: ['dnx'], fetches: 'package' },
  { words: ['jbang'], fetches: 'package' },
  { words: ['go', 'run'], fetches: 'package' },
  { words: ['nix', 'run'], fetches: 'program' },
  { words: ['docker', 'run'], fetches: 'image' },
  { words: ['docker', 'container', 'run'], fetches: 'image' },
  { words: ['docker', 'compose', 'run'], fetches: 'image' },
  { words: ['podman', 'run'], fetches: 'image' },
  { words: ['nerdctl', 'run'], fetches: 'image' },
];

/** Programs that run another: the command line behind `flag`, one word each or all in the next word; behind variables where there is no flag. */
export interface Wrapper {
  readonly programs: readonly string[];
  readonly flag?: RegExp;
  readonly asText?: true;
}

export const WRAPPERS: readonly Wrapper[] = [
  { programs: ['cmd'], flag: /^\/c$/i },
  { programs: ['sh', 'bash', 'zsh', 'dash'], flag: /^-[a-z]*c$/, asText: true },
  { programs: ['powershell', 'pwsh'], flag: /^-c(ommand)?$/i },
  { programs: ['env', 'exec', 'nice', 'sudo', 'wsl'] },
];
