import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { beginOrder, connectTo, largestFileOf, placingHead } from '../programs/connections.ts';
import { AN_ORDER, listedIds, startServer } from '../programs/running-server.ts';

const HOUR_MS = `${60 * 60 * 1000}`;
const CLEAN = { code: 0, stderr: '' };

describe('a stopping server', () => {
  it('ends with code 0 on SIGINT and leaves no PostgreSQL behind', async () => {
    const server = await startServer();
    expect(await server.stop('SIGINT')).toMatchObject(CLEAN);
    expect(await readdir(server.dataDir)).not.toContain('postmaster.pid');
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });

  it('responds to a request in progress, and executes no pipelined write without a response', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: HOUR_MS });
    const socket = await beginOrder(server);
    const placing = (await placingHead(server)) + AN_ORDER;
    const responses = text(socket);
    server.process.kill('SIGTERM');
    await server.says(/"stopping"/);
    socket.write(AN_ORDER + placing.repeat(20));
    const created = (await responses).match(/HTTP\/1\.1 201 Created/g) ?? [];
    expect(created.length).toBeGreaterThan(0);
    expect((await server.finished).code).toBe(0);
    expect(await listedIds(await startServer({ DATA_DIR: server.dataDir }))).toHaveLength(created.length);
  });

  it('ends waits for events at once with their pages, and closes their connections', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: HOUR_MS, METRICS_PORT: '0' });
    const key = await server.demoKey();
    const waiters = [1, 2, 3].map(() => {
      const socket = connectTo(server);
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
    expect(await stopped).toMatchObject(CLEAN);
    for (const response of responses) {
      const [head = '', body = ''] = response.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(head).toMatch(/\r\nconnection: close(\r\n|$)/i);
      expect(JSON.parse(body)).toMatchObject({ data: [], page: { caught_up: true } });
    }
  });

  it('sends responses completely to a client that reads slowly', async () => {
    const server = await startServer({ RATE_LIMIT_PUBLIC: '0' });
    const request = `GET ${await largestFileOf(server)} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`;
    const socket = connectTo(server).pause();
    socket.write(request.repeat(8));
    // Longer than the server needs to fill the buffers of the operating system.
    await sleep(500);
    server.process.kill('SIGTERM');
    await server.says(/"stopping"/);
    await sleep(500);
    const lengths = completeness(await buffer(socket));
    expect((await server.finished).code).toBe(0);
    expect(lengths.length).toBeGreaterThan(1);
    for (const { expected, received } of lengths) expect(received).toBe(expected);
  });

  it('waits at most the grace period for a client that does not finish', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: '200' });
    const socket = connectTo(server);
    const closed = once(socket, 'close');
    socket.write('POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    expect((await server.stop()).code).toBe(0);
    await closed;
  });

  it('ends although requests of disconnected clients wait for connections', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: '1000' });
    const key = await server.demoKey();
    const sockets = Array.from({ length: 60 }, () => connectTo(server));
    for (const socket of sockets) socket.write(`GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    await sleep(60);
    for (const socket of sockets) socket.destroy();
    expect((await server.stop()).code).toBe(0);
  });

  it('has logged one JSON object per line without a terminal, beside the greeting', async () => {
    const server = await startServer();
    await server.request('/v1/orders');
    const { stdout } = await server.stop();
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const listening = { level: 'info', msg: expect.stringContaining('listening at') as unknown };
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      listening,
      listening,
      { level: 'info', msg: 'started', schema: 'orders', webhooks: 'on', production: false },
      { level: 'info', msg: 'request' },
      { level: 'info', msg: 'stopping' },
      { level: 'info', msg: 'stopped' },
    ]);
    expect(stdout).toContain('Orders listens on');
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
