import { defineTool, errorResult, matchHost, readHost, textResult, type RuleMatcher, type ToolContext, type ToolResult } from 'pegboard';
import { guardedFetch, jsonSchema, type Fetched } from 'pegboard/kit';

import { pageText, pageTitle } from './page-text.ts';

export interface WebFetchInput {
  readonly url: string;
  readonly prompt?: string;
}

const MOST_BYTES = 5_000_000;
const MOST_CHARS = 1_000_000;
const LIMIT_MS = 30_000;
const DOMAIN = 'domain:';
const HEADERS = { 'user-agent': 'pegboard', accept: 'text/markdown, text/plain, text/html, application/json, */*;q=0.5' };

/** Gets the text of one web page. Which hosts may be asked is for the rules; a redirect to another host is told, not followed. */
export const webFetch = defineTool<WebFetchInput>({
  name: 'WebFetch',
  description: [
    'Gets a web page or text file over http or https and gives its text, with the addresses of its links.',
    'If it redirects to another host, that address is told; fetch it by a call of its own.',
    'It sends no cookies and signs in nowhere.',
  ].join(' '),
  searchHint: 'fetch, open or read a web page or URL from the internet',
  kind: 'fetch',
  input: jsonSchema<WebFetchInput>({
    type: 'object',
    properties: {
      url: { type: 'string', description: 'Address of the page, beginning with http:// or https://' },
      prompt: { type: 'string', description: 'What you want to find there, for the person who may be asked' },
    },
    required: ['url'],
    additionalProperties: false,
  }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  reads: ({ url }) => {
    const read = readHost(url);
    return read.kind === 'host' ? [{ kind: 'host', host: read.host }] : [{ kind: 'other', name: url }];
  },
  checkPermissions: async ({ url }) => {
    const read = readHost(url);
    return read.kind === 'host'
      ? { kind: 'passthrough' }
      : { kind: 'ask', reason: { by: 'tool', detail: read.why }, message: `whether it may be fetched cannot be told: ${read.why}` };
  },
  preparePermissionMatcher: ({ url }) => domainMatcher(url),
  suggestRules: ({ url }) => {
    const read = readHost(url);
    return read.kind === 'host' ? [`WebFetch(${DOMAIN}${read.host})`] : [];
  },
  toAutoClassifierInput: ({ url, prompt = '' }) => `${url} ${prompt}`,
  display: {
    activity: ({ url }) => `Fetching ${url}`,
    summary: ({ url }) => url,
    use: ({ url, prompt }) => ({ kind: 'text', text: prompt === undefined ? url : `${url}\n${prompt}` }),
  },
  call: fetchPage,
});

/** `domain:PATTERN` over the host. Of an address that can be read in two ways a grant covers nothing, and a restriction whatever it could mean. */
function domainMatcher(url: string): RuleMatcher {
  const read = readHost(url);
  return (content, { list }) => {
    if (!content.startsWith(DOMAIN)) return list === 'allow' ? false : undefined;
    const pattern = content.slice(DOMAIN.length).trim();
    if (read.kind === 'host') return matchHost(pattern, read.host);
    if (list === 'allow') return false;
    const likely = URL.canParse(url) ? new URL(url).hostname.replace(/\.+$/, '') : '';
    return likely !== '' && matchHost(pattern, likely) ? true : undefined;
  };
}

async function fetchPage({ url }: WebFetchInput, context: ToolContext): Promise<ToolResult> {
  // Who allowed a number or this machine by name saw it; a name that leads here unseen is refused.
  const fetched = await guardedFetch(url, {
    signal: context.signal,
    mostBytes: MOST_BYTES,
    limitMs: LIMIT_MS,
    written: 'any',
    headers: HEADERS,
    environment: process.env,
  });
  switch (fetched.kind) {
    case 'failed':
      return errorResult(`${url} could not be fetched: ${fetched.why}.`);
    case 'elsewhere':
      return textResult(
        `${fetched.url} redirects to another place, which was not asked: ${fetched.to}\nFetch that address if you want it.`,
      );
    case 'answer':
      return answered(fetched);
  }
}

type Answer = Fetched & { readonly kind: 'answer' };

function answered(answer: Answer): ToolResult {
  const { url, status, contentType, body, cut } = answer;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isText(type, body))
    return errorResult(`${url} is ${type || 'not text'}, ${body.length} bytes${cut ? ' or more' : ''}, and is not shown.`);
  const text = decodeBody(body, contentType);
  const isPage = /html/.test(type) || (type === '' && /^\s*<(!doctype html|html)/i.test(text));
  const shown = isPage ? pageText(text, url) : text;
  const notes = [
    cut ? `Cut after ${MOST_BYTES} bytes.` : '',
    shown.length > MOST_CHARS ? `Cut after ${MOST_CHARS} characters of ${shown.length}.` : '',
  ].filter(Boolean);
  const title = isPage ? pageTitle(text) : undefined;
  const whole = [
    url,
    ...(title === undefined ? [] : [title]),
    '',
    shown.slice(0, MOST_CHARS) || '(no text)',
    ...notes.map((note) => `[${note}]`),
  ];
  if (status < 200 || status > 299)
    return errorResult(`${url} answered with status ${status}.\n${whole.slice(1).join('\n')}`.slice(0, 4_000));
  return { ...textResult(whole.join('\n')), structuredContent: { url, status, contentType, bytes: body.length } };
}

function isText(type: string, body: Uint8Array): boolean {
  if (body.subarray(0, 8_192).includes(0)) return false;
  return (
    type === '' ||
    /^text\/|[/+](json|xml|xhtml|yaml|javascript|ecmascript|x-ndjson|toml|sql|graphql|rtf)\b|^application\/x-(sh|tex)/.test(type)
  );
}

/** By the server's word, then by the page's own, then as UTF-8; bytes that do not fit become a mark. */
function decodeBody(body: Uint8Array, contentType: string): string {
  const head = Buffer.from(body.subarray(0, 2_048)).toString('latin1');
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(named ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
