import { expect, it } from 'vitest';
import { startRedis } from '../redis/running-redis.ts';

it('loses its worker', async () => {
  // Redis overwrites its environment with its title.
  const redis = await startRedis(['--proc-title-template', `{title} ${process.env['LEFTOVER']}`]);
  expect(redis.url).toContain('redis');
  process.kill(process.pid, 'SIGKILL');
});
