import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';

/** Blocks this thread for `ms` milliseconds. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function aServer() {
  const database = openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' });
  const app = await compose(readConfig({}), { database, log: pino({ level: 'silent' }) });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  return async (url: string) => (await app.inject(url)).statusCode;
}

describe('a server', () => {
  it('rejects requests while its event loop is delayed, and accepts them afterwards', async () => {
    const statusOf = await aServer();
    expect(await statusOf('/v1/orders')).toBe(401);
    await vi.waitFor(
      async () => {
        block(1500);
        await sleep(1); // The timer lets the due sample run.
        expect(await statusOf('/v1/orders')).toBe(503);
      },
      { interval: 1 },
    );
    expect(await statusOf('/livez')).toBe(200);
    await vi.waitFor(async () => expect(await statusOf('/v1/orders')).toBe(401), { interval: 50 });
  });

  it('rejects no request because of a slow start', async () => {
    const statusOf = await aServer();
    block(1500);
    const statuses = new Set<number>();
    for (const begun = performance.now(); performance.now() - begun < 2500; await sleep(50)) {
      statuses.add(await statusOf('/v1/orders'));
    }
    expect([...statuses]).toEqual([401]);
  });
});
