import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** The body of each response, which nothing may keep. */
export const RESPONSE_BODY = 'the-response-of-the-receiver';

/** A request that a receiver has read. */
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Starts a receiver that accepts every request, except while it rejects or hangs: it then keeps the responses. */
export async function aReceiver() {
  const received: Received[] = [];
  const kept: ServerResponse[] = [];
  const state = { hangs: false, rejects: false };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      received.push({ headers: Object.fromEntries(headers), body });
      if (state.hangs) kept.push(response);
      else response.writeHead(state.rejects ? 500 : 200).end(RESPONSE_BODY);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    kept,
    state,
    /** Returns the message of a request, if it is signed with the secret. */
    verify: (secret: string, { headers, body }: Received): unknown => new Webhook(secret).verify(body, { ...headers }),
  };
}
