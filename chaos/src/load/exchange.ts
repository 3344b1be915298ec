import { type Agent, type IncomingHttpHeaders, request as send } from 'node:http';

/** A request to whichever server. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What it holds; `undefined` when that is nothing, or no JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly reused: boolean;
  readonly tookMs: number;
}

/** No answer, or not all of it. */
export interface Broken {
  /** Why, in Node.js's words: ECONNRESET and the like; `late` when it took too long. */
  readonly broken: string;
  /** Whether the connection had carried another request before. */
  readonly reused: boolean;
  readonly tookMs: number;
}

/** Sends a request once. Whatever becomes of it is an answer of this function. */
export function exchange(
  agent: Agent,
  url: string,
  { method, path, headers, body }: Request,
  limitMs: number,
): Promise<Answer | Broken> {
  const begun = performance.now();
  const content = body === undefined ? undefined : JSON.stringify(body);
  const type = content === undefined ? {} : { 'content-type': 'application/json' };
  const length = { 'content-length': Buffer.byteLength(content ?? '') };
  return new Promise((resolve) => {
    const outgoing = send(url + path, {
      method,
      agent,
      headers: { ...type, ...(method === 'GET' ? {} : length), ...headers },
    });
    const tookMs = () => performance.now() - begun;
    const breaks = (broken: string) => {
      clearTimeout(late);
      resolve({ broken, reused: outgoing.reusedSocket, tookMs: tookMs() });
    };
    const late = setTimeout(() => {
      breaks('late');
      outgoing.destroy();
    }, limitMs);
    const fails = (cause: Error) => breaks('code' in cause ? String(cause.code) : cause.message);
    outgoing.on('error', fails);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.on('error', fails);
      incoming.on('end', () => {
        clearTimeout(late);
        const { statusCode: status = 0, headers: given } = incoming;
        const { reusedSocket: reused } = outgoing;
        resolve({ status, headers: given, body: parsed(text), text, reused, tookMs: tookMs() });
      });
    });
    outgoing.end(content);
  });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
