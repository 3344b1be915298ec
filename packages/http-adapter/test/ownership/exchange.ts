import { Agent, request as open } from 'node:http';

/** A request of the probe. */
export interface ProbeRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | undefined;
}

/** A raw response. */
export interface ProbeResponse {
  readonly status: number;
  /** Headers in order, as received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** One character per byte. */
  readonly body: string;
}

export type Send = (request: ProbeRequest) => Promise<ProbeResponse>;

/** Sends requests to the server at `origin`, over persistent connections. */
export function clientOf(origin: string): { readonly send: Send; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const send: Send = ({ method, url, headers, payload }) =>
    new Promise((resolve, reject) => {
      const sent = open(new URL(origin), { agent, method, path: url, headers });
      sent.on('error', reject);
      sent.on('response', (received) => {
        const chunks: Buffer[] = [];
        received.on('data', (chunk: Buffer) => chunks.push(chunk));
        received.on('error', reject);
        received.on('end', () => {
          resolve({
            status: received.statusCode ?? 0,
            headers: inPairs(received.rawHeaders),
            body: Buffer.concat(chunks).toString('latin1'),
          });
        });
      });
      sent.end(payload);
    });
  return { send, close: () => agent.destroy() };
}

function inPairs(raw: readonly string[]): ProbeResponse['headers'] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

/** Returns the value of the header `name`, or `undefined`. */
export function headerOf({ headers }: ProbeResponse, name: string): string | undefined {
  return headers.find(([spelled]) => spelled.toLowerCase() === name.toLowerCase())?.[1];
}

/** Returns the body as JSON, or `undefined` without a body. */
export function jsonOf({ body }: ProbeResponse): unknown {
  const json: unknown = body === '' ? undefined : JSON.parse(Buffer.from(body, 'latin1').toString());
  return json;
}

/** Checks whether the response is a success. */
export function isDone({ status }: ProbeResponse): boolean {
  return status >= 200 && status < 300;
}
