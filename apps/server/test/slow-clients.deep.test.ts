import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startServer } from './running-server.ts';

/** What a server answers to a client that sends `bytes` and no more. */
async function answerTo(bytes: string): Promise<string> {
  const server = await startServer({ REQUEST_TIMEOUT_MS: '500' });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('a client that sends too slowly', () => {
  it.each([
    ['nothing but a request line', 'GET /v1/orders HTTP/1.1\r\n'],
    ['no end of the headers', 'GET /v1/orders HTTP/1.1\r\nHost: orders.test\r\nX-Filler: '],
  ])('is told so, and its connection ends: %s', async (_, bytes) => {
    const answer = await answerTo(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
  });
});
