/** Whether a command line asks for JSON: known before the line is understood, so that what is wrong with it can be said as JSON too. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}
