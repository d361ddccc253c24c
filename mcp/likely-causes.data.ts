/** What a failed start probably comes from: what it looks like, and what mends it. */
export interface LikelyCause {
  readonly looks: RegExp;
  readonly words: string;
}

/** By what a program printed before it ended. The first that fits counts. */
export const ENDED: readonly LikelyCause[] = [
  {
    looks:
      /(?:\b|_)(?:key|token|secret|password|credentials?)\b.*\b(?:required|missing|needed|not (?:set|provided|found|defined)|must|undefined|empty)\b|\b(?:missing|set|provide|no|needs?|requires?)\b.*(?:\b|_)(?:key|token|secret|password|credentials?)\b/i,
    words: 'It seems to want a key: put that into `env` of its definition, as `${NAME}` where it is in your environment.',
  },
  {
    looks: /No such built-in module|does not provide an export named|unsupported engine|requires? node|node(\.js)? (version )?>=/i,
    words: 'It may be made for a newer Node: compare what it asks for with `node --version`.',
  },
  {
    looks: /cannot find (module|package)|no such file|can't open file|No module named/i,
    words: 'What it runs is not there: correct `args`, or install it.',
  },
  {
    looks: /EADDRINUSE|address already in use/i,
    words: 'Another program has its port, perhaps an older one of the same server: end that, or give it another port.',
  },
  {
    looks: /E404|404 Not Found|No matching version|not in this registry/i,
    words: 'There is no package of that name or version: correct `args`.',
  },
];

/** By what went wrong with an address. The first that fits counts. */
export const UNREACHED: readonly LikelyCause[] = [
  {
    looks: /by way of the proxy .*(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)/,
    words: 'The proxy cannot be reached: correct that variable, or put the host of `url` into NO_PROXY.',
  },
  { looks: /the proxy .* refused, HTTP/, words: 'Servers that need no proxy stand in NO_PROXY.' },
  { looks: /ECONNREFUSED/, words: 'Nothing listens there: start it, or correct the port.' },
  { looks: /ENOTFOUND|EAI_AGAIN/, words: 'Nobody knows that name here: correct it, or look at the network.' },
  {
    looks: /wrong version number|packet length too long/i,
    words: 'It does not speak https there: begin `url` with http:, or correct the port.',
  },
  { looks: /certificate has expired/i, words: 'Its certificate has run out, or the clock here is wrong.' },
  { looks: /does not match certificate|altname/i, words: 'Its certificate is for another name: use that one in `url`.' },
  {
    looks: /certificate/i,
    words:
      "Its certificate comes from nobody this machine trusts: name the file of the issuer's certificate in the variable NODE_EXTRA_CA_CERTS.",
  },
  { looks: /HTTP 404|HTTP 405/, words: 'There is a server, but no MCP at that path: correct the path of `url`.' },
];
