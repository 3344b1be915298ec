import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AN_ORDER, type RunningServer } from './running-server.ts';

/** Sends the headers of a request that places `AN_ORDER`; resolves when the server waits for the body. */
export async function beginOrder(server: RunningServer): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
  const key = await server.demoKey();
  const head = ['POST /v1/orders HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json'];
  socket.write(`${[...head, 'Expect: 100-continue', `Content-Length: ${AN_ORDER.length}`].join('\r\n')}\r\n\r\n`);
  await once(socket, 'data'); // The response is 100 Continue.
  return socket;
}
