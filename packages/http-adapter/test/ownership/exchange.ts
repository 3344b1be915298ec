import { Agent, request as open } from 'node:http';

/** A request as it is sent. */
export interface ProbeRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | undefined;
}

/** An answer as it came over the wire. */
export interface ProbeResponse {
  readonly status: number;
  /** In their order, each spelled as it was sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A character for each byte. */
  readonly body: string;
}

export type Send = (request: ProbeRequest) => Promise<ProbeResponse>;

/** Sends requests to the server at `origin`, over connections that are kept. */
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

/** The value of the header `name`, if there is one. */
export function headerOf({ headers }: ProbeResponse, name: string): string | undefined {
  return headers.find(([spelled]) => spelled.toLowerCase() === name.toLowerCase())?.[1];
}

/** The body as JSON; `undefined` when there is none. */
export function jsonOf({ body }: ProbeResponse): unknown {
  const json: unknown = body === '' ? undefined : JSON.parse(Buffer.from(body, 'latin1').toString());
  return json;
}

/** Whether the answer is a success. */
export function isDone({ status }: ProbeResponse): boolean {
  return status >= 200 && status < 300;
}
