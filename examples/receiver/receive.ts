// The receiver: stores each event that the server sends, once. It can be killed at any time.
//   WEBHOOK_SECRET  the secret of the endpoint
//   FOLDER          where the events are stored
//   PORT            the port of the URL of the endpoint
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { env } from 'node:process';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Message, openEventStore } from './event-store.ts';

/** Maximum size of a body in bytes. Anyone can send a request, and it is read before it is verified. */
const BODY_BYTES_MAX = 1024 * 1024;

const { WEBHOOK_SECRET = '', FOLDER = '.', PORT = '4801' } = env;
// During a rotation, a message has a signature by each secret, and one of them is enough.
const webhook = new Webhook(WEBHOOK_SECRET);
const store = openEventStore(join(FOLDER, 'events.db'));

const server = createServer((request, response) => {
  void statusFor(request).then((status) => response.writeHead(status).end());
});
server.listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

/** Handles a request. The server sends a message again unless the status is from 200 to 299. */
async function statusFor(request: IncomingMessage): Promise<number> {
  try {
    const id = String(request.headers['webhook-id']);
    // What the secret has signed is a message of the server.
    const message = webhook.verify(await bodyOf(request), {
      'webhook-id': id,
      'webhook-timestamp': String(request.headers['webhook-timestamp']),
      'webhook-signature': String(request.headers['webhook-signature']),
    }) as Message;
    // Before the response: an event that was acknowledged is not sent again.
    store.add(id, message);
    return 204;
  } catch (error) {
    return error instanceof WebhookVerificationError ? 401 : 503;
  }
}

/** Returns the bytes as they arrived, which the signature is about. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
