import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type RunningServer, startServer } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const MARK = { LEFTOVER: process.env['LEFTOVER'] ?? '' };

let first: RunningServer | undefined;

it('never ends, on a server that takes an hour to stop', { timeout: 20_000 }, async () => {
  const server = await startServerOn(await aDatabase(), { ...MARK, SHUTDOWN_DELAY_MS: '3600000' });
  first = server;
  server.process.kill('SIGTERM');
  await expect(sleep(3_600_000)).resolves.toBe('never');
});

it('starts after the server of the previous test has ended', () => {
  expect(first?.process.signalCode ?? first?.process.exitCode).toEqual(expect.anything());
});

it('starts a server after its timeout', { timeout: 100 }, async () => {
  await sleep(500);
  await expect(startServer(MARK)).resolves.toBe('never');
});
