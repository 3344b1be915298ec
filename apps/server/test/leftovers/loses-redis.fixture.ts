import { expect, it } from 'vitest';
import { startRedis } from '../redis/running-redis.ts';

it('loses its worker', async () => {
  // Redis writes its title over its environment.
  const redis = await startRedis(['--proc-title-template', `{title} ${process.env['LEFTOVER']}`]);
  expect(redis.url).toContain('redis');
  process.kill(process.pid, 'SIGKILL');
});
