/** Words that say of a name that its value is a secret, wherever in the name they stand. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  `token tokens secret secrets password passwords passwd passphrase passcode pwd pat apikey apikeys auth oauth oauth2 authn authz
  authorization authentication credential credentials creds cookie cookies bearer jwt otp totp hmac private signature mnemonic`.split(
    /\s+/,
  ),
);
/** Words that say so only at the end: `apiKey`, and not `keyboard`. */
const SECRET_ENDS: ReadonlySet<string> = new Set(['key', 'keys', 'k', 'pass', 'sig', 'pin', 'salt']);
const SECRET_PART = /token$|secret|passw(?:or)?d|apikey|accesskey|privatekey|credential|authoriz/;
/** What ends so names a place, a kind or a number that has to do with a secret, or is no secret at all. */
const OPEN_ENDS: ReadonlySet<string> = new Set(
  `file path dir directory folder url uri endpoint host hostname port helper command cmd program binary script askpass type kind method
  mode provider algorithm limit count max size length budget timeout ttl lifetime expiry enabled disabled required scheme issuer audience
  scope scopes`.split(/\s+/),
);
const OPEN_WORDS: ReadonlySet<string> = new Set(['max', 'min', 'num', 'public']);

/** Does this name of a key, variable, header or option say that its value is a secret? */
export function namesSecret(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (OPEN_ENDS.has(last) || words.some((word) => OPEN_WORDS.has(word))) return false;
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_PART.test(word)) || SECRET_ENDS.has(last) || /key_?id$/i.test(name);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => /[a-z]/.test(word));
}

/** What a variable can do to the process that finds it, whatever its value: change what runs, or where things are fetched from and sent to. */
export function variableEffect(name: string): 'runs' | 'leads' | undefined {
  if (RUNS.test(name)) return 'runs';
  return LEADS.test(name) && !namesSecret(name) ? 'leads' : undefined;
}

const RUNS = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|SHELL|COMSPEC|ENV|IFS|PS4|PROMPT_COMMAND|BASH_ENV|BASH_FUNC_.*|ZDOTDIR|CDPATH',
    'LD_.*|DYLD_.*|GCONV_PATH|LOCPATH',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|ELECTRON_RUN_AS_NODE|TS_NODE_.*|BUN_OPTIONS|DENO_.*DIR',
    'PYTHON(?:PATH|HOME|STARTUP|INSPECT|BREAKPOINT|USERBASE|WARNINGS)|PERL5?(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|BUNDLE_GEMFILE|GEM_(?:HOME|PATH)',
    '_?JAVA_.*OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_.*',
    'PHP_INI_SCAN_DIR|PHPRC|LUA_(?:INIT|PATH|CPATH).*|R_PROFILE.*|JULIA_.*|TCLLIBPATH|PSModulePath|MAKEFLAGS|TAR_OPTIONS|RUSTC.*|RUSTFLAGS|CARGO_.*|GOFLAGS',
    'GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|EDITOR|SEQUENCE_EDITOR|PAGER|PROXY_COMMAND|EXTERNAL_DIFF|TEMPLATE_DIR|DIR|CONFIG.*)',
    'SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|(?:MAN)?PAGER|BROWSER|LESSOPEN|LESSCLOSE',
    'npm_config_(?:script.shell|node.options|prefix|userconfig|globalconfig|shell|git)',
    'HOME|USERPROFILE|APPDATA|XDG_.*|TMPDIR|KUBECONFIG|AWS_CONFIG_FILE',
  ].join('|')})$`,
  'i',
);
const LEADS =
  /^(?:(?:npm_config|yarn|pip|uv|bun|poetry|goproxy|gosumdb|otel_exporter|pegboard|docker_host)(?:_.*)?|ssl_cert_.*|node_(?:extra_ca_certs|tls_reject_unauthorized))$|_?(?:proxy|(?<!data)base_?url|api_?url|endpoint(?:_url)?|registry|index_url)$/i;
