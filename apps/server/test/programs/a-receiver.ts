import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { listenAnywhere } from './ports.ts';
import type { RunningServer } from './running-server.ts';

/** The body of each response, which nothing may keep. */
export const RESPONSE_BODY = 'the-response-of-the-receiver';

/** A request that a receiver has read. */
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Receiver = Awaited<ReturnType<typeof aReceiver>>;

/** Starts a receiver that accepts every request, except while it rejects or hangs: it then keeps the responses. */
export async function aReceiver() {
  const received: Received[] = [];
  const kept: ServerResponse[] = [];
  const state = { hangs: false, rejects: false };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      received.push({ headers: Object.fromEntries(headers), body });
      if (state.hangs) kept.push(response);
      else response.writeHead(state.rejects ? 500 : 200).end(RESPONSE_BODY);
    });
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${await listenAnywhere(server)}/hook`,
    received,
    kept,
    state,
    /** Returns the message of a request, if it is signed with the secret. */
    verify: (secret: string, { headers, body }: Received): unknown => new Webhook(secret).verify(body, { ...headers }),
  };
}

const Created = z.object({ id: z.string(), secret: z.string() });

/** Creates an endpoint for the receiver. */
export async function subscribe(server: Pick<RunningServer, 'request'>, { url }: Pick<Receiver, 'url'>, more = {}) {
  const body = JSON.stringify({ url, ...more });
  const response = await server.request('/v1/webhook_endpoints', { method: 'POST', body });
  const { id, secret } = Created.parse(await response.json());
  return { id, secret, path: `/v1/webhook_endpoints/${id}` };
}
