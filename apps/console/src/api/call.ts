import { Problem } from './problem.ts';
import { keepSession, sessionToken } from './session.ts';

/** A request to the API of operators. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The owner whom the operator acts for. */
  readonly owner?: string | undefined;
  /** Why, which is recorded; required by writes. */
  readonly reason?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** The entity tag that the resource must have. */
  readonly ifMatch?: string | undefined;
  /** The same one for each attempt of a write, so that it takes effect once. */
  readonly idempotencyKey?: string;
  /** Default: that of the session. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** What the API returned. */
export interface Returned<T> {
  readonly body: T;
  readonly etag: string | null;
}

/** How long a response is waited for, in milliseconds: longer than the server needs at most. */
const LIMIT_MS = 35_000;

/**
 * Sends a request and returns the response.
 *
 * @throws {Problem} there was no response, or a problem. An expired session ends, and the page stays as it is.
 */
export async function call<T>(path: string, request: Call = {}): Promise<Returned<T>> {
  const { method = 'GET', query = {}, body, token = sessionToken(), signal } = request;
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  const sent = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    headers: headersOf(request, token),
    cache: 'no-store',
    redirect: 'error',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(signal ? [signal] : [])]),
  }).catch(noResponse(signal));
  // A proxy in front of a server that is down responds with a page of its own.
  if (!sent.ok && !sent.headers.get('content-type')?.includes('json')) throw new Problem({ status: sent.status });
  const text = await sent.text().catch(noResponse(signal));
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  if (sent.ok) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document has its type
    return { body: parsed as T, etag: sent.headers.get('etag') };
  }
  if (sent.status === 401 && token !== null && token === sessionToken()) keepSession(null);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each error is a problem
  const problem = (parsed ?? {}) as ConstructorParameters<typeof Problem>[0];
  throw new Problem({ ...problem, status: sent.status, requestId: sent.headers.get('x-request-id') });
}

/** A response whose end never comes is none, either. */
function noResponse(signal: AbortSignal | undefined) {
  return (cause: unknown): never => {
    throw signal?.aborted === true ? cause : new Problem({});
  };
}

function headersOf(request: Call, token: string | null): Record<string, string> {
  const { method = 'GET', owner, reason, body, ifMatch, idempotencyKey } = request;
  return {
    accept: 'application/json, application/problem+json',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(owner !== undefined && { 'orders-owner': owner }),
    ...(reason !== undefined && { 'orders-reason': encodeURIComponent(reason) }),
    ...(body !== undefined && {
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
}
