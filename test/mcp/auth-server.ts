import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How the two servers of a test behave; strict and well unless a plan says otherwise. */
export interface AuthPlan {
  /** Where the MCP server says who signs people in: in the challenge, at a well-known address, or nowhere. */
  describedAt?: 'challenge' | 'path' | 'root' | 'nowhere';
  /** Where the authorization server's metadata is; with a path it is an issuer below its origin. */
  metadataAt?: 'oauth' | 'oidc' | 'oidc-inside' | 'nowhere';
  issuerPath?: string;
  /** Laid over the metadata of either. */
  metadata?: Readonly<Record<string, unknown>>;
  resource?: Readonly<Record<string, unknown>>;
  /** What comes back beside the code. */
  answer?: (params: URLSearchParams) => void;
  /** Whether programs may register. */
  registration?: 'open' | 'refused' | 'closed';
  /** Clients that a person has registered. */
  clients?: Readonly<
    Record<string, { readonly secret?: string; readonly redirect?: string; readonly key?: (assertion: string) => boolean }>
  >;
  documents?: boolean;
  scopes?: string;
  /** How many calls an access token is good for. */
  uses?: number;
  revocation?: boolean;
}

interface Client {
  readonly redirect: string | undefined;
  readonly secret: string | undefined;
  readonly key?: ((assertion: string) => boolean) | undefined;
}
interface Grant {
  readonly client: string;
  readonly scope: string;
  family: string;
  used: number;
}

/** An authorization server and an MCP server that trusts it, each at an origin of its own. Both check all that they are sent. */
export class AuthServers {
  readonly plan: AuthPlan;
  readonly clients = new Map<string, Client>();
  readonly #codes = new Map<string, { readonly params: URLSearchParams; used: boolean }>();
  readonly access = new Map<string, Grant>();
  readonly refresh = new Map<string, Grant & { spent: boolean }>();
  /** What was asked of which server, in order. */
  readonly asked: string[] = [];
  readonly faults: string[] = [];
  counts = { registrations: 0, consents: 0, exchanges: 0, refreshes: 0, claims: 0, revocations: 0 };
  authorization = '';
  server = '';
  readonly scopesAsked: (string | null)[] = [];
  /** Whether the token endpoint is out of order. */
  down = false;
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(plan: AuthPlan) {
    this.plan = plan;
    for (const [id, { secret, redirect, key }] of Object.entries(plan.clients ?? {})) this.clients.set(id, { secret, redirect, key });
  }

  get issuer(): string {
    return `${this.authorization}${this.plan.issuerPath ?? ''}`;
  }
  get url(): string {
    return `${this.server}/mcp`;
  }

  async start(): Promise<this> {
    this.authorization = await this.#listen((request, response) => this.#authorize(request, response));
    this.server = await this.#listen((request, response) => this.#serve(request, response));
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  /** As if all access tokens had run out. */
  expire(): void {
    this.access.clear();
  }

  async #listen(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<string> {
    const server = createServer((request, response) => {
      handle(request, response).catch((cause: unknown) => {
        this.faults.push(String(cause));
        response.writeHead(500).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#stops.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #authorize(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.authorization);
    this.asked.push(`${request.method} as ${url.pathname}`);
    const body = await text(request);
    const { issuerPath = '', metadataAt = 'oauth' } = this.plan;
    const places = {
      oauth: `/.well-known/oauth-authorization-server${issuerPath}`,
      oidc: `/.well-known/openid-configuration${issuerPath}`,
      'oidc-inside': `${issuerPath}/.well-known/openid-configuration`,
      nowhere: undefined,
    };
    if (url.pathname === places[metadataAt]) return json(response, 200, this.#metadata());
    switch (url.pathname) {
      case '/authorize':
        return this.#consent(url.searchParams, response);
      case '/token':
        return this.#token(new URLSearchParams(body), request, response);
      case '/register':
        return this.#register(JSON.parse(body) as { readonly redirect_uris: readonly string[] }, response);
      case '/revoke':
        this.counts.revocations++;
        this.refresh.delete(new URLSearchParams(body).get('token') ?? '');
        this.access.delete(new URLSearchParams(body).get('token') ?? '');
        return json(response, 200, {});
      default:
        return json(response, 404, { error: 'not_found' });
    }
  }

  #metadata() {
    const at = this.authorization;
    const { registration = 'open', documents, revocation = true, metadata, clients = {} } = this.plan;
    const secret = Object.values(clients).some((each) => each.secret !== undefined);
    return {
      issuer: this.issuer,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      jwks_uri: `${at}/keys`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: secret ? ['client_secret_basic'] : ['none', 'private_key_jwt'],
      ...(registration === 'closed' ? {} : { registration_endpoint: `${at}/register` }),
      ...(documents === true ? { client_id_metadata_document_supported: true } : {}),
      ...(revocation ? { revocation_endpoint: `${at}/revoke` } : {}),
      ...metadata,
    };
  }

  #register({ redirect_uris: [redirect] }: { readonly redirect_uris: readonly string[] }, response: ServerResponse): void {
    this.counts.registrations++;
    if (this.plan.registration === 'refused') return json(response, 403, { error: 'access_denied' });
    const id = `client-${this.counts.registrations}`;
    this.clients.set(id, { redirect, secret: undefined });
    json(response, 201, { client_id: id, redirect_uris: [redirect], token_endpoint_auth_method: 'none' });
  }

  #consent(params: URLSearchParams, response: ServerResponse): void {
    this.counts.consents++;
    this.scopesAsked.push(params.get('scope'));
    const redirect = params.get('redirect_uri') ?? '';
    const id = params.get('client_id') ?? '';
    const client =
      this.clients.get(id) ?? (this.plan.documents === true && id.startsWith('https://') ? { redirect: undefined } : undefined);
    const registered = client !== undefined && (client.redirect === undefined || client.redirect === redirect);
    const wrong = Object.entries({ response_type: 'code', code_challenge_method: 'S256', resource: this.#resource() }).find(
      ([name, value]) => params.get(name) !== value,
    );
    if (wrong) this.faults.push(`${wrong[0]} is ${params.get(wrong[0])}`);
    if ((params.get('state') ?? '').length < 20) this.faults.push('no state');
    const back = new URL(redirect);
    const answer = back.searchParams;
    answer.set('state', params.get('state') ?? '');
    answer.set('iss', this.issuer);
    // A strict one does not even redirect; so a browser that is a program can go on.
    if (!registered || wrong) answer.set('error', registered ? 'invalid_request' : 'unauthorized_client');
    else {
      const code = randomUUID();
      this.#codes.set(code, { params, used: false });
      answer.set('code', code);
    }
    this.plan.answer?.(answer);
    response.writeHead(302, { location: back.href }).end();
  }

  #token(body: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    if (this.down) return json(response, 503, { error: 'temporarily_unavailable' });
    const refused = (error: string) => json(response, error === 'invalid_client' ? 401 : 400, { error });
    const id = this.#clientOf(body, request);
    if (id === undefined) return refused('invalid_client');
    if (body.get('resource') !== this.#resource()) this.faults.push(`resource is ${body.get('resource')}`);
    switch (body.get('grant_type')) {
      case 'authorization_code': {
        this.counts.exchanges++;
        const code = this.#codes.get(body.get('code') ?? '');
        const challenge = createHash('sha256')
          .update(body.get('code_verifier') ?? '')
          .digest('base64url');
        const fits =
          code &&
          !code.used &&
          code.params.get('code_challenge') === challenge &&
          code.params.get('redirect_uri') === body.get('redirect_uri');
        if (!fits || code.params.get('client_id') !== id) return refused('invalid_grant');
        code.used = true;
        return json(response, 200, this.#give(id, code.params.get('scope') ?? '', randomUUID()));
      }
      case 'refresh_token': {
        this.counts.refreshes++;
        const grant = this.refresh.get(body.get('refresh_token') ?? '');
        if (grant === undefined || grant.client !== id) return refused('invalid_grant');
        if (grant.spent) {
          // Somebody has stolen it, or a client was careless: nobody of this family goes on.
          this.faults.push('a refresh token was used twice');
          for (const [token, { family }] of [...this.refresh, ...this.access])
            if (family === grant.family && !this.refresh.delete(token)) this.access.delete(token);
          return refused('invalid_grant');
        }
        grant.spent = true;
        return json(response, 200, this.#give(id, grant.scope, grant.family));
      }
      case 'client_credentials': {
        this.counts.claims++;
        const { refresh_token: _none, ...given } = this.#give(id, body.get('scope') ?? '', randomUUID());
        return json(response, 200, given);
      }
      default:
        return refused('unsupported_grant_type');
    }
  }

  #clientOf(body: URLSearchParams, { headers }: IncomingMessage): string | undefined {
    const [basicId, basicSecret] = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':');
    const assertion = body.get('client_assertion');
    const assertedId =
      assertion === null
        ? undefined
        : (JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as { readonly sub: string }).sub;
    const id = assertedId ?? body.get('client_id') ?? basicId ?? '';
    if (this.plan.documents === true && id.startsWith('https://')) return id;
    const client = this.clients.get(id);
    if (client === undefined || (client.secret !== undefined && client.secret !== basicSecret)) return undefined;
    return client.key === undefined || (assertion !== null && client.key(assertion)) ? id : undefined;
  }

  #give(client: string, scope: string, family: string) {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.access.set(access, { client, scope, family, used: 0 });
    this.refresh.set(refresh, { client, scope, family, used: 0, spent: false });
    return { access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh, ...(scope === '' ? {} : { scope }) };
  }

  #resource(): string {
    return this.plan.describedAt === 'nowhere' ? this.url : String(this.plan.resource?.['resource'] ?? this.url);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.server);
    this.asked.push(`${request.method} mcp ${url.pathname}`);
    const body = await text(request);
    const { describedAt = 'challenge', resource, scopes } = this.plan;
    const places = {
      challenge: '/about',
      path: '/.well-known/oauth-protected-resource/mcp',
      root: '/.well-known/oauth-protected-resource',
      nowhere: undefined,
    };
    if (url.pathname === places[describedAt])
      return json(response, 200, {
        resource: this.url,
        authorization_servers: [this.issuer],
        ...(scopes === undefined ? {} : { scopes_supported: scopes.split(' ') }),
        ...resource,
      });
    if (url.pathname !== '/mcp') return json(response, 404, {});
    const grant = this.access.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (grant === undefined || grant.used++ >= (this.plan.uses ?? Number.POSITIVE_INFINITY)) {
      const about = describedAt === 'challenge' ? ` resource_metadata="${this.server}/about"` : ' realm="test"';
      response.writeHead(401, { 'www-authenticate': `Bearer${about}` }).end();
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    this.#answer(JSON.parse(body) as Message, grant, response);
  }

  #answer({ id, method, params }: Message, { scope }: Grant, response: ServerResponse): void {
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const missing = /^needs-(\w+)$/.exec(String(params?.['name'] ?? ''))?.[1];
    if (missing !== undefined && !scope.split(' ').includes(missing)) {
      response
        .writeHead(403, {
          'www-authenticate': `Bearer error="insufficient_scope", scope="${missing}", resource_metadata="${this.server}/about"`,
        })
        .end();
      return;
    }
    const tools = ['act', 'needs-write'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const results: Readonly<Record<string, unknown>> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: `done with ${scope}` }] },
      ping: {},
    };
    const result = results[method];
    json(response, 200, { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no such method' } }) });
  }
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
