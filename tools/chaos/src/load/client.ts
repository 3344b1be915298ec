import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@orders/property-runs/random';
import { type HttpResponse, type Broken, exchange, type Request } from './exchange.ts';
import type { Ledger } from './ledger.ts';
import { difference, isResource, type Resource } from './resource.ts';
import { count, type Tally } from './tally.ts';

/** One request of a client, sent once. */
export interface Attempt {
  readonly request: Request;
  readonly url: string;
  readonly exchanged: HttpResponse | Broken;
  /** The retry of a request right after a reset of a reused connection. */
  readonly afterReset: boolean;
}

/** A client of the API that retries until it succeeds. */
export interface Client {
  readonly name: string;
  readonly random: Random;
  readonly ledger: Ledger;
  /** Orders that no other client changes, by id. */
  readonly orders: Map<string, Resource>;
  /** Returns a new name. */
  next(): string;
  /** Sends a request until it has a final response. */
  send(request: Request): Promise<HttpResponse>;
  /** Sends a request with a key, and sometimes once more after its response, which must be the same. */
  write(request: Request): Promise<KeyedResponse>;
  /** Returns the resource of a response with this status and these members; otherwise records a contradiction. */
  read(response: HttpResponse, status: number, expected: Readonly<Record<string, unknown>>): Resource | undefined;
  close(): void;
}

interface KeyedResponse extends HttpResponse {
  readonly key: string;
}

export interface ClientOptions {
  readonly name: string;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly apiKey: string;
  /** The targets of requests; each attempt uses the next one. */
  readonly urls: readonly string[];
  /** Whether an intermediary may retry requests on its own. */
  readonly balanced: boolean;
  readonly observe: (attempt: Attempt) => void;
}

/** Maximum duration of one attempt, and of one request with all its attempts, in milliseconds. */
const [ATTEMPT_MS, REQUEST_MS] = [20_000, 60_000];

const [PAUSE_MS, PAUSE_MAX_MS] = [20, 500];

/** The share of successful writes that are sent once more. */
const REPEATED = 0.1;

/** A request without a final response in time: the API hangs. */
class HangError extends Error {
  override readonly name = 'HangError';
}

export function newClient(options: ClientOptions): Client {
  const { name, random, ledger, tally, apiKey, urls } = options;
  const agent = new Agent({ keepAlive: true });
  let names = 0;
  let turn = random.below(urls.length);
  let left = false;

  const attempt = async (request: Request, afterReset: boolean): Promise<HttpResponse | Broken> => {
    const url = urls[(turn += 1) % urls.length] ?? '';
    const headers = { 'x-api-key': apiKey, ...request.headers };
    const exchanged = await exchange(agent, url, { ...request, headers }, ATTEMPT_MS);
    count(tally, exchanged);
    options.observe({ request, url, exchanged, afterReset });
    return exchanged;
  };

  /** Sends a request until it has a final response, and returns the number of attempts. */
  const persist = async (request: Request): Promise<{ readonly response: HttpResponse; readonly attempts: number }> => {
    const begun = performance.now();
    let pause = PAUSE_MS;
    let afterReset = false;
    for (let attempts = 1; !left && performance.now() - begun < REQUEST_MS; attempts += 1) {
      const exchanged = await attempt(request, afterReset);
      if (isFinal(exchanged)) return { response: exchanged, attempts };
      afterReset = isResetOfReused(exchanged);
      // An idle connection may just have been closed, which is not a fault of the server.
      if (!afterReset) await sleep(pause * (0.5 + random.below(1000) / 1000));
      pause = Math.min(2 * pause, PAUSE_MAX_MS);
    }
    throw new HangError(`${describe(request)} had no final response within ${REQUEST_MS} ms`);
  };

  const send = async (request: Request): Promise<HttpResponse> => {
    const begun = performance.now();
    const { response, attempts } = await persist(request);
    tally.tookMs.push(performance.now() - begun);
    const replayed = response.headers['idempotent-replayed'] !== undefined;
    if (attempts > 1) tally.retried += 1;
    if (replayed) tally.replayed += 1;
    if (replayed && attempts === 1 && !options.balanced)
      ledger.contradicts(`a new key is replayed: ${describe(request)}`);
    return response;
  };

  const repeat = async (request: Request, before: HttpResponse): Promise<void> => {
    const { response } = await persist(request);
    const expected = { ...kept(before), 'idempotent-replayed': 'true' };
    const differs = difference({ ...kept(response), ...response.headers }, expected);
    if (differs !== undefined) ledger.contradicts(`a retry had a different response: ${describe(request)}: ${differs}`);
  };

  const next = () => `${name}-${(names += 1)}`;
  return {
    name,
    random,
    ledger,
    orders: new Map(),
    next,
    send,
    write: async (request) => {
      const key = next();
      const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': key } };
      const response = await send(keyed);
      if (response.status < 300 && random.chance(REPEATED)) await repeat(keyed, response);
      return { ...response, key };
    },
    read: (response, status, expected) => {
      const wrong = response.status === status ? difference(response.body, expected) : `the status is not ${status}`;
      if (wrong !== undefined)
        ledger.contradicts(`${name}: ${wrong} in ${response.status} ${response.text.slice(0, 500)}`);
      return response.status === status && isResource(response.body) ? response.body : undefined;
    },
    close: () => {
      left = true;
      agent.destroy();
    },
  };
}

/** Whether the response is final, so that a retry is useless. */
function isFinal(exchanged: HttpResponse | Broken): exchanged is HttpResponse {
  return 'status' in exchanged && exchanged.status < 500 && exchanged.status !== 429;
}

/** Whether an idle connection was ended, possibly before the request arrived. */
function isResetOfReused(exchanged: HttpResponse | Broken): boolean {
  return 'broken' in exchanged && exchanged.reused && /^(ECONNRESET|EPIPE)$/.test(exchanged.broken);
}

/** Returns the parts of a response that a retry must return again. */
function kept({ status, text, headers: { location, etag } }: HttpResponse): Readonly<Record<string, unknown>> {
  return { status, text, location, etag };
}

function describe({ method, path, headers }: Request): string {
  return `${method} ${path} (${headers?.['idempotency-key'] ?? 'without a key'})`;
}
