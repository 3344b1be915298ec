import { type OrderDefinition, ORDERS } from '@orders/domain';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';

/** Blocks this thread for longer than the event loop may be delayed. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
}

it('a server rejects no request because of a slow start, but while its event loop is delayed, and accepts them afterwards', async () => {
  const database = openDatabase<OrderDefinition>({ definition: ORDERS, url: 'postgresql://orders@127.0.0.1:1/orders' });
  const { app } = await compose(readConfig({}), { database, log: pino({ level: 'silent' }) });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  const statusOf = async (url: string) => (await app.inject(url)).statusCode;
  expect(await statusOf('/v1/orders')).toBe(401);
  block();
  const statuses = new Set<number>();
  for (const begun = performance.now(); performance.now() - begun < 1000; await sleep(50)) {
    statuses.add(await statusOf('/v1/orders'));
  }
  expect([...statuses]).toEqual([401]);

  await vi.waitFor(
    async () => {
      block();
      await sleep(1); // The timer lets the due sample run.
      expect(await statusOf('/v1/orders')).toBe(503);
    },
    { interval: 1 },
  );
  expect(await statusOf('/livez')).toBe(200);
  await expect.poll(() => statusOf('/v1/orders'), { interval: 50 }).toBe(401);
});
