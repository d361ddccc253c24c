import type { PegboardError } from 'pegboard';
import type { Settings } from 'pegboard/settings';

import type { Problems } from './problems.ts';
import { leftOutLines } from './render/left-out.ts';
import type { Screen } from './screen.ts';

/** Says what is wrong with some settings and what of them does not count; not what is thrown anyway, and nothing twice. */
export type TellSettings = (settings: Settings, thrown?: PegboardError) => void;

/** Begins to tell. */
export function tellSettings(screen: Screen, { report }: Problems): TellSettings {
  const said = new Set<string>();
  return (settings, thrown) => {
    for (const { error, costs } of settings.problems)
      if (error !== thrown) report({ message: error.message, code: error.code, blame: costs === 'notice' ? undefined : error.blame });
    for (const line of leftOutLines(settings)) {
      if (!said.has(line)) screen.warn(`pegboard: ${line}`);
      said.add(line);
    }
  };
}
