import { shown } from '../render/shown.ts';
import type { FaceOptions } from './face.ts';
import { CombinedAutocompleteProvider } from './tui-parts.ts';

type Suggestions = CombinedAutocompleteProvider['getSuggestions'];

/** Completes commands and paths. A file whose name could steer the terminal is left out. */
export class TuiCompletion extends CombinedAutocompleteProvider {
  constructor({ commands, cwd }: FaceOptions) {
    super(
      commands.map(({ name, summary }) => ({ name, description: summary })),
      cwd,
    );
  }

  override async getSuggestions(...[lines, row, column, how]: Parameters<Suggestions>): ReturnType<Suggestions> {
    const found = await super.getSuggestions(lines, row, column, how);
    const items = found?.items.filter(({ value, label, description = '' }) =>
      [value, label, description].every((text) => shown(text) === text),
    );
    return found && items && items.length > 0 ? { ...found, items } : null;
  }
}
