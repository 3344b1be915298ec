import { expect, it } from 'vitest';
import { startBalancer } from '../balancer/running-balancer.ts';

it('loses its worker', async () => {
  const balancer = await startBalancer(['127.0.0.1:1', '127.0.0.1:1'], { LEFTOVER: process.env['LEFTOVER'] ?? '' });
  expect(balancer.url).toContain('http');
  process.kill(process.pid, 'SIGKILL');
});
