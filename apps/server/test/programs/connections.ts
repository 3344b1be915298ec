import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AN_ORDER, type RunningServer } from './running-server.ts';

/** Opens a connection to a server, which may reset it. */
export function connectTo({ url }: Pick<RunningServer, 'url'>): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
}

/** Returns a request that places `AN_ORDER`, up to its body. */
export async function placingHead(server: RunningServer, ...more: readonly string[]): Promise<string> {
  const lines = ['POST /v1/orders HTTP/1.1', 'Host: x', `X-API-Key: ${await server.demoKey()}`];
  const body = ['Content-Type: application/json', `Content-Length: ${AN_ORDER.length}`];
  return `${[...lines, ...body, ...more].join('\r\n')}\r\n\r\n`;
}

/** Sends the headers of a request that places `AN_ORDER`; resolves when the server waits for the body. */
export async function beginOrder(server: RunningServer): Promise<Socket> {
  const socket = connectTo(server).setEncoding('utf8');
  socket.write(await placingHead(server, 'Expect: 100-continue'));
  await once(socket, 'data'); // The response is 100 Continue.
  return socket;
}

/** Returns the path of the largest file that a server serves, without credentials. */
export async function largestFileOf({ url }: Pick<RunningServer, 'url'>): Promise<string> {
  const [path = ''] = /docs\/[^"]*swagger-ui-bundle\.js/.exec(await (await fetch(`${url}/docs`)).text()) ?? [];
  return `/${path}`;
}
