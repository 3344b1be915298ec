import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from '../../fixtures/a-client.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { textAt } from '../../fixtures/json.ts';
import { NO_ORDER } from '../../fixtures/new-orders.ts';

const LIMITS = { rateLimits: { read: 3, write: 2, anonymous: 2 } } as const;
const NOWHERE = `/v1/orders/${NO_ORDER}`;

/** Returns the status and rate-limit headers of a response. */
function limitOf({ status, headers }: ApiResponse): readonly unknown[] {
  return [status, headers['ratelimit'], headers['retry-after']];
}

/** Sends the same request several times in sequence. */
async function repeat(times: number, send: () => Promise<ApiResponse>): Promise<readonly ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let time = 0; time < times; time += 1) responses.push(await send());
  return responses;
}

const list = (client: Client) => () => client.get('/v1/orders');

describe('an owner', () => {
  it('gets the number of remaining requests with every response, and 429 when none are left', async () => {
    const { acme, clock } = await anApi(LIMITS);
    const first = await acme.get('/v1/orders');
    expect(first.headers['ratelimit-policy']).toBe('"read";q=3;w=60');
    clock.advance(12_345);
    const others = await repeat(4, list(acme));
    expect(others.at(-1)).toMatchObject({ headers: { 'cache-control': 'no-store' }, body: { code: 'rate_limited' } });
    expect(textAt(others.at(-1)?.body, 'detail')).toContain('The limit is 3 requests per minute.');
    expect([first, ...others].map(limitOf)).toEqual([
      [200, '"read";r=2;t=60', undefined],
      [200, '"read";r=1;t=48', undefined],
      [200, '"read";r=0;t=48', undefined],
      [429, '"read";r=0;t=48', '48'],
      [429, '"read";r=0;t=48', '48'],
    ]);
  });

  it('has one limit for all of its keys, and does not affect another owner', async () => {
    const { acme, client, keys } = await anApi(LIMITS);
    const second = client(keys.issue());
    await repeat(2, list(acme));
    expect(limitOf(await second.get('/v1/orders'))).toEqual([200, '"read";r=0;t=60', undefined]);
    expect((await second.get('/v1/orders')).status).toBe(429);
    const other = client(keys.issue({ owner: 'other' }));
    expect(limitOf(await other.get('/v1/orders'))).toEqual([200, '"read";r=2;t=60', undefined]);
  });

  it('has separate limits for writes and reads', async () => {
    const { acme } = await anApi(LIMITS);
    await repeat(4, list(acme));
    const { response } = await acme.place();
    expect(response.headers['ratelimit-policy']).toBe('"write";q=2;w=60');
    const changes = await repeat(2, () => acme.patch(NOWHERE, { note: 'x' }));
    expect([response, ...changes].map(limitOf)).toEqual([
      [201, '"write";r=1;t=60', undefined],
      [404, '"write";r=0;t=60', undefined],
      [429, '"write";r=0;t=60', '60'],
    ]);
  });

  it('has 600 reads and 120 writes per minute by default, and an address 60 failures and 600 pages', async () => {
    const { acme, client } = await anApi({ rateLimits: undefined });
    expect(limitOf(await client().get('/v1/nothing'))).toEqual([404, '"public";r=599;t=60', undefined]);
    expect(limitOf(await client().get('/v1/orders'))).toEqual([401, '"anonymous";r=59;t=60', undefined]);
    const [read, write] = [await acme.get('/v1/orders'), await acme.post('/v1/orders', {})];
    expect(read.headers).toMatchObject({ 'ratelimit-policy': '"read";q=600;w=60', ratelimit: '"read";r=599;t=60' });
    expect(write.headers).toMatchObject({ 'ratelimit-policy': '"write";q=120;w=60', ratelimit: '"write";r=119;t=60' });
  });
});

describe('an owner with a limit of its own', () => {
  it('has it in place of that of all, also when it changes within a minute, and for a policy alone', async () => {
    const ownerSettings = new Map([['acme', { rate_limits: { read: 1 } }]]);
    const { acme, client, keys } = await anApi({ ...LIMITS, ownerSettings });
    const statuses = async (times: number) => (await repeat(times, list(acme))).map(({ status }) => status);
    expect(await statuses(2)).toEqual([200, 429]);
    ownerSettings.set('acme', { rate_limits: { read: 5 } });
    expect(limitOf(await acme.get('/v1/orders'))).toEqual([200, '"read";r=3;t=60', undefined]);
    ownerSettings.set('acme', { rate_limits: { read: 2 } });
    expect(await statuses(1)).toEqual([429]);
    ownerSettings.delete('acme');
    expect(limitOf(await acme.get('/v1/orders'))).toEqual([200, '"read";r=0;t=60', undefined]);
    const other = client(keys.issue({ owner: 'other' }));
    expect((await other.get('/v1/orders')).headers['ratelimit-policy']).toBe('"read";q=3;w=60');
    expect((await acme.post('/v1/orders', {})).headers['ratelimit-policy']).toBe('"write";q=2;w=60');
  });
});

describe('an anonymous client', () => {
  it('gets 401 until its address has no requests left, and then 429', async () => {
    const { client } = await anApi(LIMITS);
    const responses = await repeat(3, list(client()));
    expect(responses.map(limitOf)).toEqual([
      [401, '"anonymous";r=1;t=60', undefined],
      [401, '"anonymous";r=0;t=60', undefined],
      [429, '"anonymous";r=0;t=60', '60'],
    ]);
    expect(responses[0]?.headers['ratelimit-policy']).toBe('"anonymous";q=2;w=60');
    expect(responses[2]?.body).toMatchObject({ code: 'rate_limited' });
    expect(responses[2]?.headers).not.toHaveProperty('www-authenticate');
  });

  it('does not affect valid credentials from the same address, nor they the client', async () => {
    const { acme, client } = await anApi(LIMITS);
    await repeat(3, list(client()));
    expect(limitOf(await acme.get('/v1/orders'))).toEqual([200, '"read";r=2;t=60', undefined]);
    const { acme: requester, client: other } = await anApi(LIMITS);
    await repeat(3, list(requester));
    expect((await other().get('/v1/orders')).status).toBe(401);
  });
});

describe('a limit', () => {
  it.each(['read', 'write', 'anonymous'] as const)('is turned off by 0, without affecting others: %s', async (off) => {
    const { acme, client } = await anApi({ rateLimits: { read: 1, write: 1, anonymous: 1, [off]: 0 } });
    const requests = {
      read: list(acme),
      write: () => acme.post('/v1/orders', {}),
      anonymous: list(client()),
    };
    for (const [name, send] of Object.entries(requests)) {
      const [first, second] = await repeat(2, send);
      expect(second?.status === first?.status).toBe(name === off);
      expect(Object.keys(first?.headers ?? {}).filter((field) => field.startsWith('ratelimit'))).toHaveLength(
        name === off ? 0 : 2,
      );
    }
  });

  it('does not count requests with several credentials', async () => {
    const { acme, client } = await anApi({ rateLimits: { read: 1, write: 1, anonymous: 1, public: 1 } });
    for (const requester of [acme, client()]) {
      const responses = await repeat(3, () => requester.get('/v1/orders', { 'x-api-key': ['a', 'b'] }));
      expect(responses.map(({ status }) => status)).toEqual([400, 400, 400]);
      expect(responses[0]?.headers).not.toHaveProperty('ratelimit');
    }
    expect((await acme.get('/v1/orders')).status).toBe(200);
    expect((await client().get('/v1/orders')).status).toBe(401);
  });

  it('admits exactly its number of concurrent requests', async () => {
    const { acme } = await anApi({ rateLimits: { read: 10 } });
    const responses = await Promise.all(Array.from({ length: 40 }, list(acme)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(30);
  });
});
