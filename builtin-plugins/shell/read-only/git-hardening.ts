import { GIT_HARDENING } from './git-hardening.data.ts';

/** A setting of git: its key and its value. */
export type GitSetting = readonly [key: string, value: string];

/** The environment with all that hardens git added to it, and more settings. Those that were handed over in the same way stay, and lose to it. */
export function hardenGit(
  environment: Readonly<Record<string, string | undefined>>,
  more: readonly GitSetting[] = [],
): Record<string, string | undefined> {
  const given = Number(environment['GIT_CONFIG_COUNT']);
  const from = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const all: readonly GitSetting[] = [...GIT_HARDENING.config, ...more];
  const settings = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${from + index}`, key],
    [`GIT_CONFIG_VALUE_${from + index}`, value],
  ]);
  return {
    ...environment,
    ...GIT_HARDENING.variables,
    ...(Object.fromEntries(settings) as Record<string, string>),
    GIT_CONFIG_COUNT: String(from + all.length),
  };
}
