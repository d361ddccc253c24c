import type { Challenge } from '../link.ts';

/** Headers that prove who asks. */
export type Proof = Readonly<Record<string, string>>;

/** What proves to one server who asks. */
export interface Prover {
  /** What to send as far as is known. */
  headers(): Promise<Proof>;
  /** Something else than what was refused; `undefined` if there is nothing. `before` counts what this request has tried already. */
  renew(refused: Proof, challenge: Challenge, before: number): Promise<Proof | undefined>;
  /** A renewed proof was not refused. */
  worked?(): void;
}

/** Requests of one body are sent again at most so often, whatever a server answers. */
const MOST_RENEWALS = 3;

/** Sends requests to one server with what proves who asks, to no other origin, and once more with something better where it was refused. */
export function provingFetch(server: string, prover: Prover, send: typeof fetch): typeof fetch {
  const { origin } = new URL(server);
  return async (given, init) => {
    const url = new URL(given instanceof Request ? given.url : given);
    if (url.origin !== origin) return send(given, init);
    let proof = await prover.headers();
    let response = await send(given, proved(init, proof));
    for (let before = 0; before < MOST_RENEWALS; before++) {
      const challenge = challengeOf(response);
      if (challenge === undefined) break;
      const next = await prover.renew(proof, challenge, before);
      if (next === undefined) return response;
      await response.body?.cancel();
      proof = next;
      response = await send(given, proved(init, proof));
    }
    if (challengeOf(response) === undefined) prover.worked?.();
    return response;
  };
}

function proved(init: RequestInit | undefined, proof: Proof): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  return { ...init, headers };
}

function challengeOf({ status, headers }: Response): Challenge | undefined {
  const header = headers.get('www-authenticate') ?? undefined;
  if (status === 401) return { status, header };
  return status === 403 && header !== undefined ? { status, header } : undefined;
}
