import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Broken, exchange, type Request } from './exchange.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { difference, isResource, type Resource } from './resource.ts';
import { count, type Tally } from './tally.ts';

/** One request of a client, sent once. */
export interface Attempt {
  readonly request: Request;
  readonly url: string;
  readonly exchanged: Answer | Broken;
  /** The same request sent again right after a reset of a reused connection. */
  readonly afterReset: boolean;
}

/** Somebody who uses the API and does not give up. */
export interface Client {
  readonly name: string;
  readonly random: Random;
  readonly ledger: Ledger;
  /** Orders that nobody else changes, by id, and customers likewise. */
  readonly orders: Map<string, Resource>;
  readonly customers: Map<string, Resource>;
  /** Deleted orders. */
  readonly gone: string[];
  /** A name that was not used before. */
  next(): string;
  /** Sends a request until it is answered for good. */
  send(request: Request): Promise<Answer>;
  /** The same with a key of its own, and now and then once more after the answer, which has to come again. */
  write(request: Request): Promise<KeyedAnswer>;
  /** The resource of an answer that has this status and these members; else that is a contradiction. */
  read(answer: Answer, status: number, expected: Readonly<Record<string, unknown>>): Resource | undefined;
  /** Whether an answer has this status and code; else that is a contradiction. */
  refused(answer: Answer, status: number, code: string): boolean;
  close(): void;
}

interface KeyedAnswer extends Answer {
  readonly key: string;
}

export interface ClientOptions {
  readonly name: string;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly apiKey: string;
  /** Where to send requests, each attempt to the next. */
  readonly urls: readonly string[];
  /** Whether what is in between may send a request again by itself. */
  readonly balanced: boolean;
  readonly observe: (attempt: Attempt) => void;
}

/** How long one attempt may take, and one request with all its attempts, in milliseconds. */
const [ATTEMPT_MS, REQUEST_MS] = [20_000, 60_000];

const [PAUSE_MS, PAUSE_MAX_MS] = [20, 500];

/** How many of the answered writes are sent once more. */
const REPEATED = 0.1;

/** A request that was not answered for good in its time: the API hangs. */
class HangError extends Error {
  override readonly name = 'HangError';
}

export function newClient(options: ClientOptions): Client {
  const { name, random, ledger, tally, apiKey, urls } = options;
  const agent = new Agent({ keepAlive: true });
  let names = 0;
  let turn = random.below(urls.length);
  let left = false;

  const attempt = async (request: Request, afterReset: boolean): Promise<Answer | Broken> => {
    const url = urls[(turn += 1) % urls.length] ?? '';
    const headers = { 'x-api-key': apiKey, ...request.headers };
    const exchanged = await exchange(agent, url, { ...request, headers }, ATTEMPT_MS);
    count(tally, exchanged);
    options.observe({ request, url, exchanged, afterReset });
    return exchanged;
  };

  /** Sends a request over and over until it is answered for good; tells how often. */
  const persist = async (request: Request): Promise<{ readonly answer: Answer; readonly attempts: number }> => {
    const begun = performance.now();
    let pause = PAUSE_MS;
    let afterReset = false;
    for (let attempts = 1; !left && performance.now() - begun < REQUEST_MS; attempts += 1) {
      const exchanged = await attempt(request, afterReset);
      if (isFinal(exchanged)) return { answer: exchanged, attempts };
      afterReset = isResetOfReused(exchanged);
      // A connection that was idle may just have been closed: that says nothing of the server.
      if (!afterReset) await sleep(pause * (0.5 + random.below(1000) / 1000));
      pause = Math.min(2 * pause, PAUSE_MAX_MS);
    }
    throw new HangError(`${told(request)} was not answered for good within ${REQUEST_MS} ms`);
  };

  const send = async (request: Request): Promise<Answer> => {
    const begun = performance.now();
    const { answer, attempts } = await persist(request);
    tally.tookMs.push(performance.now() - begun);
    const replayed = answer.headers['idempotent-replayed'] !== undefined;
    if (attempts > 1) tally.retried += 1;
    if (replayed) tally.replayed += 1;
    if (replayed && attempts === 1 && !options.balanced)
      ledger.contradicts(`a key that was never used is replayed: ${told(request)}`);
    return answer;
  };

  const repeat = async (request: Request, before: Answer): Promise<void> => {
    const { answer } = await persist(request);
    const expected = { ...kept(before), 'idempotent-replayed': 'true' };
    const differs = difference({ ...kept(answer), ...answer.headers }, expected);
    if (differs !== undefined) ledger.contradicts(`a repeat was answered differently: ${told(request)}: ${differs}`);
  };

  const next = () => `${name}-${(names += 1)}`;
  return {
    name,
    random,
    ledger,
    orders: new Map(),
    customers: new Map(),
    gone: [],
    next,
    send,
    write: async (request) => {
      const key = next();
      const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': key } };
      const answer = await send(keyed);
      if (answer.status < 300 && random.chance(REPEATED)) await repeat(keyed, answer);
      return { ...answer, key };
    },
    read: (answer, status, expected) => {
      const wrong = answer.status === status ? difference(answer.body, expected) : `the status is not ${status}`;
      if (wrong !== undefined) ledger.contradicts(`${name}: ${wrong} in ${answer.status} ${answer.text.slice(0, 500)}`);
      return answer.status === status && isResource(answer.body) ? answer.body : undefined;
    },
    refused: (answer, status, code) => {
      const differs = difference(answer.body, { status, code });
      if (differs !== undefined) ledger.contradicts(`${name}: ${differs} in ${answer.text.slice(0, 500)}`);
      return differs === undefined;
    },
    close: () => {
      left = true;
      agent.destroy();
    },
  };
}

/** Whether it is no use to ask again. */
function isFinal(exchanged: Answer | Broken): exchanged is Answer {
  return 'status' in exchanged && exchanged.status < 500 && exchanged.status !== 429;
}

/** Whether a connection was ended that had been idle: that may have been before the request got there. */
function isResetOfReused(exchanged: Answer | Broken): boolean {
  return 'broken' in exchanged && exchanged.reused && /^(ECONNRESET|EPIPE)$/.test(exchanged.broken);
}

/** What a repeat has to bring again. */
function kept({ status, text, headers: { location, etag } }: Answer): Readonly<Record<string, unknown>> {
  return { status, text, location, etag };
}

function told({ method, path, headers }: Request): string {
  return `${method} ${path} (${headers?.['idempotency-key'] ?? 'without a key'})`;
}
