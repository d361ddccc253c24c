import { shadowedRules } from 'pegboard';
import { placeText } from 'pegboard/settings';

import type { Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsCommand } from '../run-command.ts';

/** `permissions list`: every rule that counts with its line, and which of them never decides because another always does. */
export function permissionsList(scope: Scope | undefined): SettingsCommand {
  return async ({ configuration: { settings }, screen }) => {
    const shadows = new Map(shadowedRules(settings.rules).map(({ rule, by }) => [rule, by]));
    const rules = settings.rules
      .filter(({ source }) => scope === undefined || source === scope)
      .map((rule) => {
        const { list, text, source, place, when, why } = rule;
        const by = shadows.get(rule);
        return {
          list,
          rule: text,
          source,
          where: placeText(place),
          when,
          reason: why,
          shadowedBy: by && `${by.list} ${by.text} (${by.where ?? by.source})`,
        };
      });
    if (screen.json) screen.value(rules);
    else if (rules.length === 0) screen.print(['no rules']);
    else
      screen.print(
        tableLines(
          [{ title: 'list' }, { title: 'rule', holds: 'longest' }, { title: 'source' }, { title: 'where' }, { title: '' }],
          rules.map(({ list, rule, source, where, when, shadowedBy }) => [
            list,
            rule,
            source,
            where,
            [when && `when ${JSON.stringify(when)}`, shadowedBy && `never decides: ${shadowedBy} comes first`].filter(Boolean).join('; '),
          ]),
          screen.width,
        ),
      );
    return exitCode.done;
  };
}
