import { err, ok, type Result } from 'neverthrow';
import { asSent } from '../calls/json.ts';
import { quoted } from '../calls/keys.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import type { ErrorOf, RefusedFor, UnknownOutcome } from '../errors.ts';
import type { AbortSignalLike } from '../options.ts';
import { attempt, type AttemptFailure, type HttpResponse } from './attempt.ts';
import { backoffMs, isRetryableStatus, retryAfterMs } from './retries.ts';
import type { Settings } from './settings.ts';

/** Version of this package, for `User-Agent`. `pnpm run version` writes it. */
const VERSION = '0.1.0';

/** A request of an operation. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
  /** As JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set for a write. */
  readonly idempotencyKey?: string | undefined;
  /** The user for whom it makes a change. */
  readonly externalUserId?: string | undefined;
  /** Whether the body has the keys, so that no header has one. Default: no. */
  readonly hasKeysInBody?: boolean;
  readonly signal?: AbortSignalLike | undefined;
  /** Time in addition to that of every attempt, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Whether the response is a page of a list. */
  readonly isList?: boolean | undefined;
  /** Default: that of the client. */
  readonly retries?: number | undefined;
}

/** Codes of the requests that the domain rejects as invalid input. */
const INVALID_REQUEST = /^(invalid_(parameter|cursor|idempotency_key)|unknown_parameter|conflicting_parameters)$/;

/**
 * Sends a request of an operation until it has a usable response or no retry is left. Never rejects.
 *
 * @param codes the members are the codes of the problems that the operation has of its own
 */
export async function send<E>(settings: Settings, call: Call, codes: object): Promise<Result<HttpResponse, E>> {
  const { signal, idempotencyKey, retries = settings.retries, waitMs = 0 } = call;
  const request = {
    method: call.method,
    path: `/v1${call.path}${queryOf(call.query)}`,
    headers: headersOf(call),
    body: call.body,
    signal,
    timeoutMs: settings.timeoutMs + waitMs,
  };
  // Whether an attempt may have taken effect without a response.
  let uncertain = false;
  for (let retry = 0; ; retry += 1) {
    const response = await attempt(settings, request);
    const retryAfter = 'failed' in response ? null : retryAfterMs(response.headers.get('retry-after'));
    const isLast = retry >= retries || signal?.aborted === true || (retryAfter ?? 0) > settings.maxRetryAfterMs;
    if (isLast || !isRetryable(response)) {
      if (!('failed' in response) && response.status >= 200 && response.status < 300 && isUsable(response.body, call))
        return ok(response);
      return err(uncheckedCast<E>(toError(response, { codes, idempotencyKey, uncertain, retryAfter })));
    }
    uncertain ||= isUncertain(response);
    await settings.timer.pause((retryAfter ?? 0) + backoffMs(retry, settings.timer), signal);
  }
}

/** Whether a successful response has what every operation reads of it. Other members may be missing or new. */
function isUsable(body: unknown, { method, isList }: Call): boolean {
  if (method === 'DELETE') return true;
  if (!isRecord(body)) return false;
  return isList !== true || (Array.isArray(body['data']) && isRecord(body['page']));
}

function isRetryable(response: HttpResponse | AttemptFailure): boolean {
  if ('failed' in response) return response.failed === 'network' || response.failed === 'timeout';
  return isRetryableStatus(response.status);
}

/** Whether a write without a usable response may have taken effect. */
function isUncertain(response: HttpResponse | AttemptFailure): boolean {
  return 'failed' in response || isOutage(response.status);
}

/** Whether a response does not come from the API, which may have handled the request nevertheless. */
function isOutage(status: number): boolean {
  return status >= 500 || (status !== 429 && isRetryableStatus(status));
}

interface Circumstances {
  readonly codes: object;
  readonly idempotencyKey: string | undefined;
  /** Whether an attempt before may have taken effect. Default: no. */
  readonly uncertain?: boolean;
  /** The wait that the server requests, in milliseconds. Default: none. */
  readonly retryAfter?: number | null;
}

type Problem = Readonly<Record<string, unknown>>;

/** Returns the error of a response that is no success. */
export function toError(
  response: Pick<HttpResponse, 'status' | 'body'> | AttemptFailure,
  { codes, idempotencyKey, uncertain = false, retryAfter = null }: Circumstances,
): object {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const unreachable = (reason: string, explained: Problem = {}): object => ({
    type: 'unreachable' satisfies UnknownOutcome['type'],
    reason,
    status: response.status,
    ...explained,
    ...(idempotencyKey === undefined ? {} : { outcome: 'unknown', ...key }),
  });
  if ('failed' in response) return unreachable(response.failed);
  const { status, body } = response;
  const { type: _type, title: _title, status: _status, instance: _instance, code, ...members } = problemOf(body);
  const explained = pick(members, ['detail', 'request_id']);
  // An attempt before this one may have taken effect, which a response that comes before the key is read cannot know.
  const isOpen = uncertain && idempotencyKey !== undefined && /^(401|403|429)$/.test(String(status));
  if (status >= 200 && status < 300) return unreachable('invalid_response' satisfies UnknownOutcome['reason']);
  if (isOutage(status) || isOpen) return unreachable('unavailable', explained);
  if (status === 401) return { type: 'unauthenticated', ...explained };
  if (status === 429) return { type: 'rate_limited', retry_after_ms: retryAfter, ...explained, ...key };
  if (code === 'insufficient_scope') return { type: code, ...pick(members, ['required_scope']), ...explained };
  if (members['refusal'] === true)
    return { type: 'refused' satisfies RefusedFor<string>['type'], code, message: members['detail'], ...explained };
  if (typeof code === 'string') {
    const type = INVALID_REQUEST.test(code)
      ? ('validation_failed' satisfies ErrorOf<'validation_failed'>['type'])
      : code;
    if (Object.hasOwn(codes, type))
      return { ...(type === 'validation_failed' ? { errors: [] } : {}), ...members, type };
  }
  return { type: 'unexpected_response', status, code: typeof code === 'string' ? code : null, ...explained };
}

function problemOf(body: unknown): Problem {
  return isRecord(body) ? body : {};
}

function isRecord(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null;
}

function pick(from: Problem, names: readonly string[]): Problem {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function queryOf(query: Call['query'] = {}): string {
  const pairs = Object.entries(asSent(query)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function headersOf({
  method,
  body,
  headers,
  idempotencyKey,
  externalUserId,
  hasKeysInBody = false,
}: Call): Record<string, string> {
  return {
    accept: 'application/json, application/problem+json',
    'api-version': '1',
    ...(body === undefined
      ? {}
      : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
    ...(idempotencyKey === undefined || hasKeysInBody ? {} : { 'idempotency-key': quoted(idempotencyKey) }),
    ...(externalUserId === undefined ? {} : { 'orders-external-user-id': externalUserId }),
    // A browser has its own, and another one needs a permission of the server.
    ...('document' in globalThis || 'importScripts' in globalThis ? {} : { 'user-agent': `orders-client/${VERSION}` }),
    ...headers,
  };
}
