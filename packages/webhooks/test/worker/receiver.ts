import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A message as a receiver gets it. */
interface ReceivedMessage {
  /** The `webhook-id`. */
  readonly id: string;
  readonly type: string;
  /** The id of the resource and its version. */
  readonly resource: string;
  readonly version: number;
  readonly body: string;
}

/** Responds to a message: a status, or a function that responds itself or never does. */
type Behaviour = (message: ReceivedMessage) => number | ((response: ServerResponse) => void);

/** A receiver of webhooks on the local machine. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** All messages, in order of their arrival. */
  readonly messages: ReceivedMessage[];
  /** The messages that it accepted, in order of the responses. */
  readonly accepted: ReceivedMessage[];
}

/** Never responds. */
export const HANG = (): (() => void) => () => undefined;

interface MessageBody {
  readonly type: string;
  readonly data: { readonly resource: { readonly id: string; readonly version: number } };
}

function assertMessage(parsed: unknown): asserts parsed is MessageBody {
  assert.ok(typeof parsed === 'object' && parsed !== null && 'type' in parsed && 'data' in parsed);
}

/** Starts a receiver. */
export async function startReceiver(behaviour: Behaviour = () => 204): Promise<Receiver> {
  const messages: ReceivedMessage[] = [];
  const accepted: ReceivedMessage[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const parsed: unknown = JSON.parse(body);
    assertMessage(parsed);
    const { id: resource, version } = parsed.data.resource;
    const message = { id: String(request.headers['webhook-id']), type: parsed.type, resource, version, body };
    messages.push(message);
    const reaction = behaviour(message);
    if (typeof reaction === 'function') return reaction(response);
    if (reaction < 300) accepted.push(message);
    response.writeHead(reaction).end();
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    messages,
    accepted,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
