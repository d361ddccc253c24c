/*! Licences of what is in this file: THIRD-PARTY-NOTICES.md */
/** What the chat takes of the terminal library. The build puts this file and all it needs into one, so that people install none of it. */
export {
  CombinedAutocompleteProvider,
  Container,
  Editor,
  Loader,
  Markdown,
  matchesKey,
  ProcessTerminal,
  SelectList,
  setCapabilities,
  Text,
  TUI,
} from '@earendil-works/pi-tui';
export type { Component, MarkdownTheme, SelectItem, SelectListTheme, Terminal } from '@earendil-works/pi-tui';
