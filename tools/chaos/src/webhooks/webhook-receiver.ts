import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type ReceivedEvent, readEvent } from '../feed/received-event.ts';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';

/** The time that a response takes, so that attempts are under way when something fails, in milliseconds. */
const RESPONSE_MS = 20;

/** An endpoint, as its receiver sees it. */
export interface EndpointReceiver {
  readonly url: string;
  /** The secret that the creation of the endpoint returned. Until it is set, requests are rejected. */
  secret: string;
  /** The accepted events, each once, in the order of their first acknowledgements. */
  readonly accepted: readonly ReceivedEvent[];
  readonly requests: () => number;
  /** The number of requests for events that the endpoint had accepted before. */
  readonly repeated: () => number;
}

export interface WebhookReceiver {
  /** Adds an endpoint. */
  readonly endpoint: (name: string) => EndpointReceiver;
}

export interface ReceiverOptions {
  /** Whether requests must be signed at the time of this machine, give or take five minutes. */
  readonly checksTime: boolean;
  /** Receives what no sender may do. */
  readonly contradicts: (what: string) => void;
}

/** Starts a receiver that rejects the first request for one event in 16, and accepts everything else. */
export async function startReceiver(
  stage: Stage,
  { checksTime, contradicts }: ReceiverOptions,
): Promise<WebhookReceiver> {
  const endpoints = new Map<string, (request: IncomingMessage) => Promise<number>>();
  const server = createServer((request, response) => {
    const receive = endpoints.get(request.url ?? '') ?? (() => Promise.resolve(404));
    void receive(request)
      // The process that has sent it was killed.
      .catch(() => 400)
      .then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    endpoint: (name) => {
      const path = `/${endpoints.size + 1}`;
      const accepted: ReceivedEvent[] = [];
      const [known, rejected, running] = [new Set<string>(), new Set<string>(), new Set<string>()];
      let [requests, repeated] = [0, 0];
      const endpoint: EndpointReceiver = {
        url: `http://127.0.0.1:${port}${path}`,
        secret: '',
        accepted,
        requests: () => requests,
        repeated: () => repeated,
      };

      const respond = async (id: string, event: ReceivedEvent): Promise<number> => {
        await sleep(RESPONSE_MS);
        if (id.endsWith('0') && !rejected.has(id)) {
          rejected.add(id);
          return 503;
        }
        if (known.has(id)) repeated += 1;
        else accepted.push(event);
        known.add(id);
        return 204;
      };

      endpoints.set(path, async (request) => {
        const body = await text(request);
        const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
        const id = headers['webhook-id'] ?? '';
        requests += 1;
        const event = isSigned(endpoint.secret, headers, body, checksTime) ? eventOf(body, id) : undefined;
        if (!event) {
          contradicts(`${name} has received ${JSON.stringify(headers)} ${body}`);
          return 400;
        }
        if (running.has(id)) contradicts(`${name} has received ${event.text} twice at the same time`);
        running.add(id);
        try {
          return await respond(id, event);
        } finally {
          running.delete(id);
        }
      });
      return endpoint;
    },
  };
}

/** Returns whether a request has a valid signature, without its time on request: a clock may be wrong on purpose. */
function isSigned(
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  checksTime: boolean,
): boolean {
  if (secret === '') return false;
  const webhook = new Webhook(secret);
  if (!checksTime) {
    const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const signature = webhook.sign(headers['webhook-id'] ?? '', signedAt, body);
    return headers['webhook-signature']?.split(' ').includes(signature) === true;
  }
  try {
    webhook.verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

/** Returns the event of a message, if it has the id of the message. */
function eventOf(body: string, id: string): ReceivedEvent | undefined {
  const message: unknown = JSON.parse(body);
  if (!isRecord(message) || !isRecord(message['data']) || message['data']['id'] !== id) return undefined;
  const event = readEvent(message['data']);
  return event?.type === message['type'] ? event : undefined;
}
