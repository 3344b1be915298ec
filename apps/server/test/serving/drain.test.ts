import { once } from 'node:events';
import { connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { drainable } from '../../src/serving/drain.ts';

it('destroys every connection after the grace, also a tunnel that does not close', async () => {
  const app = fastify();
  const drain = drainable(app);
  app.server.on('connect', (_request, socket) => socket.on('error', () => undefined).end('HTTP/1.1 405 No\r\n\r\n'));
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).write('CONNECT orders.test:443 HTTP/1.1\r\nHost: orders.test\r\n\r\n');
  await once(socket.resume(), 'end');
  await drain(0);
  expect(app.server.listening).toBe(false);
});
