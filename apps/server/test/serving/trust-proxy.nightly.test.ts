import { expect, it } from 'vitest';
import { startServer } from '../programs/running-server.ts';

const [COUNTED, LIMITED] = [401, 429];

it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, number>>]>([
  ['none by default', {}, { '192.0.2.1': COUNTED, '192.0.2.2': LIMITED }],
  ['those configured', { TRUST_PROXY: '127.0.0.0/8' }, { '192.0.2.1': COUNTED, '192.0.2.2': COUNTED }],
  ['no others', { TRUST_PROXY: '10.0.0.0/8,::1' }, { '192.0.2.1': COUNTED, '192.0.2.2': LIMITED }],
  [
    'no addresses that a client sent to the last one',
    { TRUST_PROXY: '127.0.0.1' },
    { '198.51.100.1, 192.0.2.1': COUNTED, '198.51.100.2, 192.0.2.1': LIMITED },
  ],
])('a server trusts the X-Forwarded-For header of proxies: %s', async (_, env, statuses) => {
  const { url } = await startServer({ RATE_LIMIT_ANONYMOUS: '1', ...env });
  for (const [address, status] of Object.entries(statuses)) {
    const response = await fetch(`${url}/v1/orders`, { headers: { 'x-forwarded-for': address } });
    expect([address, response.status]).toEqual([address, status]);
  }
});
