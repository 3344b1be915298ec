import type { AbortSignalLike } from '../options.ts';
import type { Settings } from './settings.ts';

/** One request as it is sent. */
export interface HttpRequest {
  readonly method: string;
  /** Path with query, from `/v1` on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignalLike | undefined;
  readonly timeoutMs: number;
}

/** A response whose body has arrived. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; `undefined` without a body, and for another content. */
  readonly body: unknown;
}

/** Why an attempt has no response. */
export interface AttemptFailure {
  readonly failed: 'network' | 'timeout' | 'aborted' | 'invalid_response';
  /** Status of the response whose body is unusable. */
  readonly status: number | null;
}

/** Sends a request once. Never rejects. A redirect is a response: it is not followed, because it may lead elsewhere. */
export async function attempt(settings: Settings, request: HttpRequest): Promise<HttpResponse | AttemptFailure> {
  const { method, path, headers, body, signal, timeoutMs } = request;
  if (signal?.aborted === true) return { failed: 'aborted', status: null };
  const controller = new AbortController();
  let failed: AttemptFailure['failed'] = 'network';
  const end = (reason: 'timeout' | 'aborted') => {
    if (!controller.signal.aborted) failed = reason;
    controller.abort();
  };
  void settings.timer.pause(timeoutMs, controller.signal).then(() => end('timeout'));
  const onAbort = () => end('aborted');
  signal?.addEventListener('abort', onAbort);
  let status: number | null = null;
  const exchange = async (): Promise<HttpResponse | AttemptFailure> => {
    const response = await settings.fetch(settings.base + path, {
      method,
      headers: { ...headers, ...(await settings.authorize()) },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      // Cookies are no credentials of the API.
      credentials: 'omit',
      cache: 'no-store',
      signal: controller.signal,
    });
    ({ status } = response);
    const text = await readText(response, settings.maxBytes);
    if (text === null) return { failed: 'invalid_response', status };
    const parsed = parse(text);
    // An error is known by its status, and a balancer may explain it in HTML.
    if (parsed === undefined && text !== '' && response.ok) return { failed: 'invalid_response', status };
    return { status, headers: response.headers, body: parsed };
  };
  try {
    return await abortable(controller.signal, exchange);
  } catch {
    // What was thrown may contain the request, so nothing of it is kept.
    return { failed, status };
  } finally {
    // Ends the pause as well. What has arrived stays.
    controller.abort();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Rejects as soon as `signal` is aborted, also while a token is read, and for a `fetch` that ignores its signal. */
async function abortable<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the text of a body, or `null` if it has more than `maxBytes`, whose rest is not read. */
async function readText({ body }: Response, maxBytes: number): Promise<string | null> {
  const reader = body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    left -= chunk.value.length;
    if (left < 0) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON.
  }
}
