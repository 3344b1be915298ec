import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startServer } from '../programs/running-server.ts';

/** Returns the response to a client that sends `bytes` and no more. */
async function responseTo(bytes: string): Promise<string> {
  const server = await startServer({ REQUEST_TIMEOUT_MS: '500' });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
  let response = '';
  socket.on('data', (text: string) => (response += text));
  socket.write(bytes);
  await once(socket, 'close');
  return response;
}

describe('a client that sends too slowly', () => {
  it.each([
    ['only a request line', 'GET /v1/orders HTTP/1.1\r\n'],
    ['headers without an end', 'GET /v1/orders HTTP/1.1\r\nHost: orders.test\r\nX-Filler: '],
  ])('gets 408, and its connection ends: %s', async (_, bytes) => {
    const response = await responseTo(bytes);
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(response).toContain('"code":"request_timeout"');
  });
});
