import { expect, it } from 'vitest';
import { startServer } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

it('loses its worker', async () => {
  await aDatabase();
  const server = await startServer({ LEFTOVER: process.env['LEFTOVER'] ?? '' });
  expect(server.url).toContain('http');
  process.kill(process.pid, 'SIGKILL');
});
