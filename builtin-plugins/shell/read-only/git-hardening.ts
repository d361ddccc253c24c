import { GIT_HARDENING } from './git-hardening.data.ts';

/** The environment with all that hardens git added to it. Settings that were handed over in the same way stay, and lose to it. */
export function hardenGit(environment: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const given = Number(environment['GIT_CONFIG_COUNT']);
  const from = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const settings = GIT_HARDENING.config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${from + index}`, key],
    [`GIT_CONFIG_VALUE_${from + index}`, value],
  ]);
  return {
    ...environment,
    ...GIT_HARDENING.variables,
    ...(Object.fromEntries(settings) as Record<string, string>),
    GIT_CONFIG_COUNT: String(from + GIT_HARDENING.config.length),
  };
}
