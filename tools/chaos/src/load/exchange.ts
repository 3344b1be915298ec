import { type Agent, type IncomingHttpHeaders, request as send } from 'node:http';

/** A request, to any server. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; `undefined` when it is empty or not JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly tookMs: number;
}

/** A missing or incomplete response. */
export interface Broken {
  /** The reason, as the code of Node.js such as ECONNRESET; `late` after the time limit. */
  readonly broken: string;
  /** Whether the connection had carried an earlier request. */
  readonly reused: boolean;
  readonly tookMs: number;
}

/** Sends a request once. Returns every outcome, and never rejects. */
export function exchange(
  agent: Agent,
  url: string,
  { method, path, headers, body }: Request,
  limitMs: number,
): Promise<HttpResponse | Broken> {
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
        resolve({ status, headers: given, body: parsed(text), text, tookMs: tookMs() });
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
