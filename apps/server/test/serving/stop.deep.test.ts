import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from '../programs/begin-order.ts';
import { AN_ORDER, listedIds, startServer } from '../programs/running-server.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';

describe('a stopping server', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with code 0 on ${signal} and leaves no PostgreSQL behind`, async () => {
      const server = await startServer();
      const { code, stderr } = await server.stop(signal);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await readdir(server.dataDir)).not.toContain('postmaster.pid');
      await expect(fetch(server.url)).rejects.toThrow('fetch failed');
    });
  }

  it('responds to a request in progress, and closes its connection', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: `${24 * 60 * 60 * 1000}` });
    const socket = await beginOrder(server);
    let response = '';
    socket.on('data', (text: string) => (response += text));
    server.process.kill('SIGTERM');
    await server.says(/"stopping"|stopping/);
    socket.write(AN_ORDER);
    await once(socket, 'close');
    expect(response).toContain('HTTP/1.1 201 Created');
    expect((await server.finished).code).toBe(0);
  });

  it('ends waits for events at once with their pages, and closes their connections', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: `${24 * 60 * 60 * 1000}`, METRICS_PORT: '0' });
    const key = await server.demoKey();
    const { port } = new URL(server.url);
    const waiters = [1, 2, 3].map(() => {
      const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
      socket.write(`GET /v1/events?start=latest&wait=20 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
      return text(socket);
    });
    const waiting = async () => (await scrape(server)).value('orders_event_waiters');
    await vi.waitFor(async () => expect(await waiting()).toBe(waiters.length));
    const begun = performance.now();
    const stopped = server.stop();
    const responses = await Promise.all(waiters);
    // Waits that nothing ends take 20 s.
    expect(performance.now() - begun).toBeLessThan(15_000);
    const { code, stderr } = await stopped;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const response of responses) {
      const [head = '', body = ''] = response.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(head).toMatch(/\r\nconnection: close(\r\n|$)/i);
      expect(JSON.parse(body)).toEqual({
        data: [],
        page: { limit: 20, next_cursor: expect.any(String) as unknown, caught_up: true },
      });
    }
  });

  it('executes no pipelined write without a response', async () => {
    const server = await startServer();
    const socket = await beginOrder(server);
    const key = await server.demoKey();
    let received = '';
    socket.on('data', (text: string) => (received += text));
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    const placing = `${head}Content-Length: ${AN_ORDER.length}\r\n\r\n${AN_ORDER}`;
    server.process.kill('SIGTERM');
    await server.says(/"stopping"|stopping/);
    const closed = once(socket, 'close');
    socket.write(AN_ORDER + placing.repeat(20));
    await closed;
    expect((await server.finished).code).toBe(0);
    const created = received.match(/HTTP\/1\.1 201 Created/g) ?? [];
    expect(created.length).toBeGreaterThan(0);
    const next = await startServer({ DATA_DIR: server.dataDir });
    expect(await listedIds(next)).toHaveLength(created.length);
  });

  it('sends responses completely to a client that reads slowly', async () => {
    const server = await startServer({ RATE_LIMIT_PUBLIC: '0' });
    const bundle = /docs\/[^"]*swagger-ui-bundle\.js/.exec(await (await fetch(`${server.url}/docs`)).text())?.[0];
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    const ended = once(socket, 'close');
    socket.write(`GET /${bundle} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`.repeat(8));
    // Longer than the server needs to fill the buffers of the operating system.
    await sleep(500);
    server.process.kill('SIGTERM');
    await server.says(/"stopping"/);
    await sleep(500);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await ended;
    expect((await server.finished).code).toBe(0);
    const lengths = completeness(Buffer.concat(chunks));
    expect(lengths.length).toBeGreaterThan(1);
    for (const { expected, received } of lengths) expect(received).toBe(expected);
  });

  it('waits at most the grace period for a client that does not finish', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: '200' });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined); // The server may reset a connection that it closes.
    socket.write('POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    expect((await server.stop()).code).toBe(0);
    await closed;
  });

  it.each([20, 60, 120])(
    'ends although requests of disconnected clients wait for connections, after %d ms',
    async (ms) => {
      const server = await startServer({ SHUTDOWN_GRACE_MS: '1000' });
      const key = await server.demoKey();
      const { port } = new URL(server.url);
      const sockets = Array.from({ length: 60 }, () => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined); // The server may reset a connection that it closes.
        socket.write(`GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
        return socket;
      });
      await sleep(ms);
      for (const socket of sockets) socket.destroy();
      expect((await server.stop()).code).toBe(0);
    },
  );

  it('logs one JSON object per line without a terminal', async () => {
    const server = await startServer();
    await server.request('/v1/orders');
    const { stdout } = await server.stop();
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const event: unknown = JSON.parse(line);
      expect(event).toHaveProperty('level');
      expect(event).toHaveProperty('msg');
    }
    const greeting = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(greeting).toHaveLength(3);
  });
});

/** Returns the length of the body of each response in `bytes`, by its header and as received. */
function completeness(bytes: Buffer): readonly { readonly expected: number; readonly received: number }[] {
  const lengths = [];
  for (let rest = bytes; rest.length > 0;) {
    const head = rest.indexOf('\r\n\r\n') + 4;
    const expected = Number(/content-length: (\d+)/i.exec(rest.toString('latin1', 0, head))?.[1]);
    const body = rest.subarray(head, head + expected);
    lengths.push({ expected, received: body.length });
    rest = rest.subarray(head + body.length);
  }
  return lengths;
}
