import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { defineTool, textResult, type HostOptions, type Tool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { commands as slashCommands, type Commands } from 'pegboard/builtin-plugins';
import { skills, type Skills } from 'pegboard/skills';
import { startHost, temporaryFolder, type StartedHost } from 'pegboard/testing';
import { onTestFinished } from 'vitest';

/** A host with the plugin "skills" over files that a test wrote. */
export interface SkillHost extends StartedHost {
  readonly folder: string;
  readonly skills: Skills;
  readonly typed: Commands;
  /** Commands that the tool Bash was given. */
  readonly commands: readonly string[];
}

/** Writes files below a folder: `{ 'a/b.md': 'text' }`. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Starts one in folders of its own; every folder is trusted unless the options say otherwise. */
export async function skillHost(
  files: Readonly<Record<string, string>>,
  options: HostOptions & { readonly tools?: readonly Tool[]; readonly allow?: readonly string[]; readonly deny?: readonly string[] } = {},
): Promise<SkillHost> {
  const place = await temporaryFolder();
  const commands: string[] = [];
  await writeFiles(place.path, { '.git/HEAD': 'ref: refs/heads/main\n', ...files });
  const written = skills();
  const typed = slashCommands();
  const { tools = [fakeShell(commands)], allow = [], deny = [], plugins = [], ...rest } = options;
  const started = await startHost({
    cwd: place.path,
    home: join(place.path, 'home'),
    trusted: () => true,
    ...rest,
    tools,
    builtins: [typed.plugin, written.plugin],
    plugins,
    rules: { allow, deny },
  });
  const stop = async () => {
    await started.stop();
    await place.remove();
  };
  onTestFinished(stop);
  return { ...started, stop, folder: place.path, skills: written, typed, commands };
}

/** A tool that stands where a shell would: it notes its command and says `ran: …`; `fail` fails. Rules name the beginning of a command. */
function fakeShell(commands: string[]): Tool<{ readonly command: string }> {
  return defineTool<{ readonly command: string }>({
    name: 'Bash',
    description: 'Runs a command.',
    kind: 'shell',
    input: jsonSchema({ type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }),
    preparePermissionMatcher:
      ({ command }) =>
      (content) =>
        command.startsWith(content.replace(/:\*$/, '')),
    call: async ({ command }) => {
      commands.push(command);
      return command.startsWith('fail') ? { ...textResult('it failed'), isError: true } : textResult(`ran: ${command}`);
    },
  });
}
