import { once } from 'node:events';
import { connect } from 'node:net';
import type { Api } from './an-api.ts';
import { type ApiResponse, toApiResponse } from './a-client.ts';
import { expectAsDocumented } from './openapi-conformance.ts';

/** Returns invalid requests of a client with `key`, and their responses according to the contract. */
export type HostileRequest = readonly [name: string, status: number, code: string, bytes: (key: string) => string];

/** Sends raw bytes over a new connection, and reads the response until the server ends the connection. */
export async function sendBytes(api: Pick<Api, 'app' | 'check'> & Partial<Api>, bytes: string): Promise<ApiResponse> {
  const response = readResponse(await exchange(api, bytes));
  const [, method, url] = /^([A-Z-]+) (\S+) HTTP\/1\.[01]\r\n/.exec(bytes) ?? [];
  expectAsDocumented(api.check, method === undefined || url === undefined ? undefined : { method, url }, response);
  return response;
}

/** Sends raw bytes, and returns all received bytes when the server has ended the connection. */
export async function exchange({ app }: Pick<Api, 'app'> & Partial<Api>, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: await portOf(app) });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const closed = once(socket, 'close');
  socket.write(bytes, 'latin1');
  await closed;
  return Buffer.concat(received).toString('latin1');
}

/** Returns the head of a request: request line and headers. By default it closes the connection. */
export function head(requestLine: string, headers: Readonly<Record<string, string>> = {}): string {
  const sent = { Host: 'orders.test', Connection: 'close', ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  return `${[requestLine, ...lines].join('\r\n')}\r\n\r\n`;
}

/** Starts the server, and returns its address. */
export async function portOf(app: Api['app']): Promise<number> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address.port;
}

function readResponse(received: string): ApiResponse {
  const [top = '', text = ''] = received.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = top.split('\r\n');
  const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`no HTTP came back: ${JSON.stringify(received)}`);
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name.toLowerCase(), value.join(':').trim()];
  });
  return toApiResponse(Number(status), Object.fromEntries(headers), text);
}
