import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { connectTo } from '../programs/connections.ts';
import { startServer } from '../programs/running-server.ts';

it('a client that sends too slowly gets 408, and its connection ends', async () => {
  const server = await startServer({ REQUEST_TIMEOUT_MS: '500' });
  const [line, header] = ['GET /v1/orders HTTP/1.1\r\n', 'Host: orders.test\r\nX-Filler: '];
  for (const bytes of [line, line + header]) {
    const socket = connectTo(server);
    socket.write(bytes);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  }
});
