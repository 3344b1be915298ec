import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { AN_ORDER, placeOrder, type RunningServer, startServer } from '../programs/running-server.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';

const MIB = 1024 * 1024;
/** No limit of requests, and a limit of unread bytes below the sum of the connections of the test. */
const SETTINGS = {
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_WRITE: '0',
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_ANONYMOUS: '0',
  UNREAD_BYTES_MAX: `${4 * MIB}`,
  METRICS_PORT: '0',
};
const LIMITS = readFileSync(join(import.meta.dirname, '../../../../docs/reference/limits.md'), 'utf8');

/** Returns the maximum number of bytes above those of an idle server, by the documented formula. */
function documentedMaximum(connections: number, owners: number): number {
  const formula = /<!-- memory: begin -->\s+(.*?)\s+<!-- memory: end -->/s.exec(LIMITS)?.[1] ?? '';
  const [base = NaN, each = NaN, page = NaN, read = NaN] = (formula.match(/\d+/g) ?? []).map(Number);
  expect(formula).toBe(
    `${base} MiB + N × ${each} MiB + M × (UNREAD_BYTES_MAX + ${page} MiB) + DATABASE_POOL_MAX × ${read} MiB`,
  );
  const { UNREAD_BYTES_MAX, DATABASE_POOL_MAX } = readConfig(SETTINGS);
  const ofOwner = UNREAD_BYTES_MAX + page * MIB;
  return base * MIB + connections * each * MIB + owners * ofOwner + DATABASE_POOL_MAX * read * MIB;
}

/** Returns the resident memory of the server's process, in bytes. */
function memoryOf({ process }: RunningServer): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Sends `bytes` on a connection of its own and reads nothing. */
function sendUnread(server: RunningServer, bytes: string): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).write(bytes);
  return socket;
}

it('a server stays within the documented memory, and serves others, while clients read nothing of large responses', async () => {
  const server = await startServer(SETTINGS);
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`key-${n}`.padEnd(40, '-'), '\u{1F4E6}'.repeat(500)]),
  );
  const body = AN_ORDER.replace(/\}$/, `,"metadata":${JSON.stringify(metadata)}}`);
  for (let placed = 0; placed < 100; placed += 1) {
    expect((await server.request('/v1/orders', { method: 'POST', body })).status).toBe(201);
  }
  const lines = ['Host: x', `X-API-Key: ${await server.demoKey()}`, 'Accept-Encoding: identity', '', ''].join('\r\n');
  const page = `GET /v1/orders?limit=100 HTTP/1.1\r\n${lines}`;
  const bundle = /docs\/[^"]*swagger-ui-bundle\.js/.exec(await (await fetch(`${server.url}/docs`)).text())?.[0];
  const file = `GET /${bundle} HTTP/1.1\r\n${lines}`;
  const waiting = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(250);
  const idle = memoryOf(server);
  let most = 0;
  const sockets = Array.from({ length: 40 }, (_, n) =>
    sendUnread(server, (n % 4 === 0 ? file : page).repeat(80) + waiting),
  );
  // Continues until the owner reaches its limit, without an effect on others.
  await vi.waitFor(
    async () => {
      most = Math.max(most, memoryOf(server));
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      expect((await fetch(`${server.url}/v1/orders`)).status).toBe(401);
      expect((await scrape(server)).value('orders_unread_limited_total')).toBeGreaterThan(0);
    },
    { timeout: 180_000, interval: 20 },
  );
  for (let request = 0; request < 200; request += 1) {
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    most = Math.max(most, memoryOf(server));
  }
  expect(most - idle).toBeLessThan(documentedMaximum(sockets.length, 1));
}, 400_000);

/** Clients at the same time, the orders of each in a round, and the rounds: before the first sample, and in each half. */
const [CLIENTS, ORDERS, WARM_UP, HALF] = [8, 20, 8, 9];

it('a server has no more memory, heap or open files after many requests than after some', async () => {
  const server = await startServer(SETTINGS);
  const succeeds = async (path: string, method = 'GET') =>
    expect((await server.request(path, { method })).status).toBe(200);
  const client = async () => {
    for (let placed = 0; placed < ORDERS; placed += 1) {
      const order = `/v1/orders/${await placeOrder(server)}`;
      await succeeds(order);
      await succeeds('/v1/orders');
      await succeeds(`${order}/cancel`, 'POST');
    }
  };
  const samples: Readonly<Record<'memory' | 'heap' | 'files', number>>[] = [];
  for (let round = 0; round < WARM_UP + 2 * HALF; round += 1) {
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const heap = (await scrape(server)).value('nodejs_heap_size_used_bytes') ?? NaN;
    const files = readdirSync(`/proc/${server.process.pid}/fd`).length;
    samples.push({ memory: memoryOf(server) / MIB, heap: heap / MIB, files });
  }
  // Half of the values are below it.
  const typical = (name: keyof (typeof samples)[number], from: number) =>
    samples
      .slice(from, from + HALF)
      .map((sample) => sample[name])
      .toSorted((one, other) => one - other)[(HALF - 1) / 2] ?? NaN;
  for (const [name, share, beside] of [
    ['memory', 1.05, 20],
    ['heap', 1.25, 15],
    ['files', 1.1, 3],
  ] as const)
    expect([name, typical(name, WARM_UP + HALF)]).toEqual([
      name,
      expect.toSatisfy((later: number) => later <= share * typical(name, WARM_UP) + beside),
    ]);
}, 400_000);
