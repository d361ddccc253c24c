/** Tokens that are known by their form. One that stands in a path is a file's name. */
const TOKEN =
  /(?<![\w./-])(?:(?:sk|pk|rk|ak)[-_][\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[A-Z\d]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|gsk_\w{20,}|r8_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_\w{16,}|dop_v1_\w{20,}|(?:ntn|figd|lin_api|whsec|sntrys|secret)_[\w-]{20,}|(?:pplx|tvly|xai)-[\w-]{20,}|dapi[\da-f]{32}|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/g;
/** The same in an address, where what stands between slashes is no file of ours. */
const TOKEN_IN_ADDRESS = new RegExp(TOKEN.source.replace('(?<![\\w./-])', '(?<=/)'), 'g');
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s'"]+/gi;

/** Replaces every token that is known by its form. */
export function replaceTokens(text: string, by: (token: string) => string): string {
  return text.replace(TOKEN, by).replace(ADDRESS, (address) => address.replace(TOKEN_IN_ADDRESS, by));
}

/** Replaces every word that is too random to be one of a language, a name or a flag. */
export function replaceRandom(text: string, by: (word: string) => string): string {
  return text.replace(/[\w+=-]{20,}/g, (word) => (isRandom(word) ? by(word) : word));
}

function isRandom(word: string): boolean {
  return /\d/.test(word) && /[a-z]/i.test(word) && new Set(word).size >= 10;
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|so|dll|dylib|exe|bat|cmd|ps1|jar|json|ya?ml|toml|node|wasm)$/i;
const RELATIVE = /^(?:\.{1,2}|~)\//;

/** A path of a file as one writes it: not just any text with a slash. */
export function isFilePath(text: string): boolean {
  return RELATIVE.test(text) || SCRIPT.test(text);
}

/** Could this text, wherever it is put, be run, loaded, or lead somewhere: a path, a flag, an address, words of a shell? */
export function couldRun(text: string): boolean {
  return isFilePath(text) || /[\s;|&`()<>]|^\$|^-{1,2}[a-z]|^\/|^[a-z]:[\\/]|^(?:https?|wss?|file|data|node|npm|git[+\w]*):/i.test(text);
}
