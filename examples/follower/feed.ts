import { setTimeout as sleep } from 'node:timers/promises';

/** The members of an event that the journal has. */
export interface FeedEvent {
  readonly position: number;
  readonly type: string;
  readonly resource: { readonly id: string; readonly version: number };
}

/** A page of `GET /v1/events`. */
export interface FeedPage {
  readonly data: readonly FeedEvent[];
  readonly page: { readonly next_cursor: string };
}

/** Maximum time that the server holds a request, in seconds. */
const WAIT_S = 20;
/** A request without a response for so long gets none: the server, or the way to it, has failed. */
const TIMEOUT_MS = (WAIT_S + 10) * 1000;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 10_000;
const RETRYABLE = new Set([429, 500, 502, 503, 504]);

/**
 * Returns the page after a cursor, and waits for events at the end of the feed. Retries until it has a page.
 *
 * @throws {Error} no retry would help: the key is invalid, or the cursor has expired
 */
export async function readPage(url: string, key: string, cursor: string | null): Promise<FeedPage> {
  const query = new URLSearchParams({ limit: '100', wait: String(WAIT_S) });
  if (cursor !== null) query.set('after', cursor);
  for (let failures = 1; ; failures += 1) {
    // A server that is killed refuses connections, or breaks one within a response.
    const response = await get(`${url}/v1/events?${query}`, key).catch(() => undefined);
    // The server sends what the API's document says.
    if (response?.status === 200) return JSON.parse(response.body) as FeedPage;
    if (response && !RETRYABLE.has(response.status)) throw new Error(`the feed ended with ${response.body}`);
    const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    await sleep(Math.max(pauseMs, (response?.retryAfterS ?? 0) * 1000));
  }
}

async function get(url: string, key: string) {
  const response = await fetch(url, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const retryAfterS = Number(response.headers.get('retry-after'));
  return { status: response.status, body: await response.text(), retryAfterS };
}
