import { PegboardError } from 'pegboard';
import type { Settings } from 'pegboard/settings';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { readAgain } from '../read-configuration.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { awaitingApproval, waitingLines, whatTrustAllows, type Waiting } from '../what-trust-allows.ts';

/**
 * `trust`: says what of a folder waits, records the folder as trusted, and with it approves the servers that were shown, as they are
 * defined now. At a terminal it asks first.
 */
export function trust(forget: boolean): SettingsCommand {
  return (desk) => (forget ? takeBack(desk) : accept(desk));
}

async function accept(desk: SettingsDesk): Promise<ExitCode> {
  const { configuration, screen, tell } = desk;
  const { settings, trust: book, approvals } = configuration;
  const folder = book.covers(settings.project.folder);
  const waiting = whatTrustAllows(settings);
  const shown = new Set(settings.servers.flatMap(({ hash, state }) => (state.kind === 'waiting' ? [hash] : [])));
  for (const line of allowedLines(folder, waiting, settings)) screen.tell(line);
  if (!(await agreed(desk))) {
    screen.warn('pegboard: nothing was recorded');
    return exitCode.refused;
  }
  if (settings.project.trust.kind !== 'trusted') {
    const accepted = await book.accept(folder);
    if (accepted.kind === 'refused') throw accepted.error;
    if (accepted.kind === 'session') throw new PegboardError('TRUST_HOME', { folder });
  }
  // What only comes to light once the folder's scripts run was shown to nobody.
  const servers = awaitingApproval((await readAgain(configuration)).settings.servers).filter(({ hash }) => shown.has(hash));
  for (const { name, hash } of servers) {
    const error = await approvals.approve(settings.project.folder, name, hash);
    if (error) throw error;
  }
  const now = (await readAgain(configuration)).settings;
  tell(now);
  const found = now.servers.filter(({ state }) => state.kind === 'waiting');
  if (screen.json)
    screen.value({
      folder,
      trusted: true,
      allows: waiting,
      approved: servers.map(({ name }) => name),
      waiting: found.map(({ name }) => name),
    });
  else screen.print([`trusted: ${folder}`, ...servers.map(({ name }) => `approved: server "${name}"`)]);
  return exitCode.done;
}

async function takeBack({ configuration, screen }: SettingsDesk): Promise<ExitCode> {
  const { settings, trust: book, approvals } = configuration;
  const folder = book.covers(settings.project.folder);
  const forgotten = await book.forget(folder);
  const names = [...new Set(settings.servers.map(({ name }) => name))];
  const revoked: string[] = [];
  for (const name of names) if (await approvals.revoke(settings.project.folder, name)) revoked.push(name);
  const { trust: now } = (await readAgain(configuration)).settings.project;
  if (screen.json) screen.value({ folder, forgotten, revoked, trusted: now.kind === 'trusted' });
  else
    screen.print([
      forgotten ? `no longer trusted: ${folder}` : `was not recorded: ${folder}`,
      ...revoked.map((name) => `no longer approved: server "${name}"`),
    ]);
  if (now.kind === 'trusted') screen.warn(`pegboard: the folder is still trusted: ${now.why}`);
  return exitCode.done;
}

function allowedLines(folder: string, waiting: readonly Waiting[], { project }: Settings): readonly Line[] {
  const already = project.trust.kind === 'trusted' ? ` (already: ${project.trust.why})` : '';
  if (waiting.length === 0)
    return [`Trust in ${folder}${already}: nothing of it waits now; what comes later counts, and each new server is asked about.`];
  return [`Trust in ${folder}${already} lets this count:`, ...waitingLines(waiting)];
}

/** A command that was typed is a yes where nobody can be asked; a person at a terminal sees first what it is about. */
async function agreed({ options, screen, stop }: SettingsDesk): Promise<boolean> {
  if (options.yes || !(process.stdin.isTTY && process.stderr.isTTY)) return true;
  const { askPerson } = await import('../ask-person.ts');
  const asker = askPerson({ input: process.stdin, output: process.stderr }, screen, stop);
  const answer = await asker.question({ text: 'Trust it?', options: [{ label: 'yes' }, { label: 'no' }] }, stop.signal);
  return answer.kind === 'answer' && /^y(es)?$/i.test(answer.text);
}
