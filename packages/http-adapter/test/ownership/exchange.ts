import { Agent, request as open } from 'node:http';

/** A request as it is sent. */
export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | undefined;
}

/** An answer as it came over the wire. */
export interface Answered {
  readonly status: number;
  /** In their order, each spelled as it was sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A character for each byte. */
  readonly body: string;
}

export type Ask = (asked: Asked) => Promise<Answered>;

/** Sends requests to the server at `origin`, over connections that are kept. */
export function askServer(origin: string): { readonly ask: Ask; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const ask: Ask = ({ method, url, headers, payload }) =>
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
  return { ask, close: () => agent.destroy() };
}

function inPairs(raw: readonly string[]): Answered['headers'] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

/** The value of the header `name`, if there is one. */
export function headerOf({ headers }: Answered, name: string): string | undefined {
  return headers.find(([spelled]) => spelled.toLowerCase() === name.toLowerCase())?.[1];
}

/** The body as JSON; `undefined` when there is none. */
export function jsonOf({ body }: Answered): unknown {
  const json: unknown = body === '' ? undefined : JSON.parse(Buffer.from(body, 'latin1').toString());
  return json;
}

/** Whether the answer is a success. */
export function isDone({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}
