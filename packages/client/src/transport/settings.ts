import { EXTERNAL_USER_ID_RULE, userOf } from '../calls/keys.ts';
import type { ClientOptions, Timer } from '../options.ts';
import { assertOptions } from '../calls/known-options.ts';
import { runtimeFetch } from './runtime-fetch.ts';
import { RETRY_AFTER_MAX_MS, systemTimer, TIMEOUT_MS_MAX } from './retries.ts';

/** The options of a client after validation. */
export interface Settings {
  /** Without a slash at the end. */
  readonly base: string;
  /** Returns the headers that authenticate a request. */
  readonly authorize: () => Promise<Readonly<Record<string, string>>>;
  /** Recorded with every change. */
  readonly externalUserId: string | undefined;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly maxRetryAfterMs: number;
  readonly maxBytes: number;
  readonly fetch: typeof fetch;
  readonly timer: Timer;
  /** What entity tags have beside the version. The newest response with a tag decides. */
  representation: string;
}

const KNOWN = [
  'baseUrl',
  'credentials',
  'externalUserId',
  'retries',
  'timeoutMs',
  'maxRetryAfterMs',
  'maxResponseBytes',
  'fetch',
  'timer',
];

/**
 * Validates the options of a client. Messages never contain credentials.
 *
 * @throws {TypeError} an option is invalid
 */
export function readSettings(options: ClientOptions): Settings {
  assertOptions(options, KNOWN);
  const { retries = 2, timeoutMs = 10_000, maxResponseBytes = 32 * 1024 * 1024 } = options;
  const { maxRetryAfterMs = RETRY_AFTER_MAX_MS } = options;
  checkInteger('retries', retries, 0, 10);
  checkInteger('timeoutMs', timeoutMs, 1, TIMEOUT_MS_MAX);
  checkInteger('maxRetryAfterMs', maxRetryAfterMs, 0, TIMEOUT_MS_MAX);
  checkInteger('maxResponseBytes', maxResponseBytes, 1, Number.MAX_SAFE_INTEGER);
  return {
    base: readBase(String(options.baseUrl)),
    authorize: authorizer(options.credentials),
    externalUserId: readUser(options),
    retries,
    timeoutMs,
    maxRetryAfterMs,
    maxBytes: maxResponseBytes,
    fetch: options.fetch ?? runtimeFetch(),
    timer: options.timer ?? systemTimer,
    representation: '1',
  };
}

function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '')
    throw new TypeError('baseUrl must be an http or https URL without user info, query and fragment');
  return url.href.replace(/\/+$/, '');
}

function readUser(options: ClientOptions): string | undefined {
  const user = userOf(options, {});
  if (user.isErr()) throw new TypeError(`externalUserId ${EXTERNAL_USER_ID_RULE}`);
  return user.value;
}

function checkInteger(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new TypeError(`${name} must be an integer between ${least} and ${most}, got ${value}`);
}

function authorizer(credentials: ClientOptions['credentials']): Settings['authorize'] {
  if (credentials === undefined) return () => Promise.resolve({});
  assertOptions(credentials, ['apiKey', 'bearerToken']);
  if ('apiKey' in credentials) {
    const headers = { 'x-api-key': checkSecret('apiKey', credentials.apiKey) };
    return () => Promise.resolve(headers);
  }
  const { bearerToken } = credentials;
  if (typeof bearerToken === 'string') checkSecret('bearerToken', bearerToken);
  return async () => {
    const token = typeof bearerToken === 'string' ? bearerToken : await bearerToken();
    return { authorization: `Bearer ${checkSecret('bearerToken', token)}` };
  };
}

/** Without this check, `fetch` would throw an error whose message has the secret. */
function checkSecret(name: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${name} must consist of visible ASCII characters`);
  return value;
}
