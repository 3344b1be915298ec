import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compose } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';

/** For longer than the server may come late to its work, in milliseconds. */
const BUSY_MS = 2500;

it('a process that comes late to its work refuses more of it, and takes it again when it is in time', async () => {
  const database = openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' });
  const app = await compose(readConfig({}), { database, log: pino({ level: 'silent' }) });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  const statusOf = async (url: string) => (await app.inject(url)).statusCode;
  expect(await statusOf('/v1/orders')).toBe(401);

  // Nothing else happens in this thread meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  await vi.waitFor(async () => expect(await statusOf('/v1/orders')).toBe(503), { timeout: 10_000, interval: 5 });
  expect(await statusOf('/livez')).toBe(200);
  await vi.waitFor(async () => expect(await statusOf('/v1/orders')).toBe(401), { timeout: 20_000, interval: 50 });
});
