import type { Asker, ChoiceQuestion } from 'pegboard';
import { placeText, type FoundServer, type Settings } from 'pegboard/settings';

import { readAgain, type Configuration } from './read-configuration.ts';
import { factsText, serverFacts } from './render/server-text.ts';
import type { Screen } from './screen.ts';
import { awaitingApproval, waitingLines, whatTrustAllows } from './what-trust-allows.ts';

const YES = 'yes';
const CHOICES = [{ label: YES }, { label: 'no' }];

/** Asks the person at the terminal what only a person may decide: trust in the folder, then each of its servers by itself. A no leaves things out and is not kept. */
export async function askForTrust(configuration: Configuration, asker: Asker, screen: Screen, signal: AbortSignal): Promise<Configuration> {
  const says: Says = (question) => isYes(asker, question, signal);
  return askForServers(await askForFolder(configuration, says, screen), says, screen);
}

/** Whether a person says yes; anything else, and nothing, is a no. */
export async function isYes(asker: Asker, { text }: Pick<ChoiceQuestion, 'text'>, signal: AbortSignal): Promise<boolean> {
  const answer = await asker.question({ text, options: CHOICES }, signal);
  return answer.kind === 'answer' && /^y(es)?$/i.test(answer.text);
}

type Says = (question: Pick<ChoiceQuestion, 'text'>) => Promise<boolean>;

async function askForFolder(configuration: Configuration, says: Says, screen: Screen): Promise<Configuration> {
  const { settings, trust } = configuration;
  const waiting = whatTrustAllows(settings);
  if (settings.project.trust.kind === 'trusted' || waiting.length === 0) return configuration;
  const folder = trust.covers(settings.project.folder);
  screen.warn(
    `The files in ${folder} are not trusted yet. With a yes this counts; of servers only those in settings.local.json start without a further question:`,
  );
  for (const line of waitingLines(waiting)) screen.warn(line);
  if (!(await says({ text: `Do you trust what is in ${folder}?` }))) return configuration;
  const accepted = await trust.accept(folder);
  if (accepted.kind === 'refused') screen.warn(`pegboard: ${accepted.error.message}`);
  return readAgain(configuration);
}

async function askForServers(configuration: Configuration, says: Says, screen: Screen): Promise<Configuration> {
  const { settings, approvals } = configuration;
  const waiting = awaitingApproval(settings.servers);
  let approved = 0;
  for (const server of waiting) {
    if (!(await says({ text: serverQuestion(server, settings) }))) continue;
    const error = await approvals.approve(settings.project.folder, server.name, server.hash);
    if (error) screen.warn(`pegboard: ${error.message}`);
    else approved++;
  }
  return approved > 0 ? readAgain(configuration) : configuration;
}

function serverQuestion(server: FoundServer, settings: Settings): string {
  const { name, place, state } = server;
  const changed = state.kind === 'waiting' && state.changed ? ' It is not defined as it was when you said yes to it.' : '';
  return `The folder defines a server ${JSON.stringify(name)} (${placeText(place)}): ${factsText(serverFacts(server, settings))}.${changed} May it start?`;
}
