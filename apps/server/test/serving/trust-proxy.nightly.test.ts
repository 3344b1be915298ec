import { describe, expect, it } from 'vitest';
import { startServer } from '../programs/running-server.ts';

/** Returns the codes of rejections, one for each forwarded address. */
async function codesFor(env: Readonly<Record<string, string>>, addresses: readonly string[]) {
  const { url } = await startServer({ RATE_LIMIT_ANONYMOUS: '1', ...env });
  const codes: unknown[] = [];
  for (const address of addresses) {
    const response = await fetch(`${url}/v1/orders`, { headers: { 'x-forwarded-for': address } });
    const body: unknown = await response.json();
    codes.push(typeof body === 'object' && body !== null && 'code' in body ? body.code : body);
  }
  return codes;
}

const [REFUSED, LIMITED] = ['unauthenticated', 'rate_limited'];

describe('TRUST_PROXY', () => {
  it('trusts no proxy by default: forwarded requests count by the address of the connection', async () => {
    expect(await codesFor({}, ['192.0.2.1', '192.0.2.2'])).toEqual([REFUSED, LIMITED]);
  });

  it('trusts configured proxies, and counts by the address that they forward', async () => {
    const codes = await codesFor({ TRUST_PROXY: '127.0.0.0/8' }, ['192.0.2.1', '192.0.2.2', '192.0.2.1']);
    expect(codes).toEqual([REFUSED, REFUSED, LIMITED]);
  });

  it('ignores addresses that a client sent to the last trusted proxy', async () => {
    const forwarded = ['198.51.100.1, 192.0.2.1', '198.51.100.2, 192.0.2.1'];
    expect(await codesFor({ TRUST_PROXY: '127.0.0.1' }, forwarded)).toEqual([REFUSED, LIMITED]);
  });

  it('ignores addresses from another proxy', async () => {
    expect(await codesFor({ TRUST_PROXY: '10.0.0.0/8,::1' }, ['192.0.2.1', '192.0.2.2'])).toEqual([REFUSED, LIMITED]);
  });
});
