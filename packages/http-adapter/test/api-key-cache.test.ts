import { newApiKey } from '@orders/http-adapter';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { inMemoryApiKeys } from './in-memory-api-keys.ts';

describe('the store of API keys', () => {
  it('is queried once per key within thirty seconds', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    await client(key).get('/v1/orders');
    clock.advance(29_999);
    await client(key).get('/v1/orders');
    expect(keys.lookUps(key)).toBe(1);
    clock.advance(1);
    await client(key).get('/v1/orders');
    expect(keys.lookUps(key)).toBe(2);
  });

  it('is queried once for concurrent requests', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => client(key).get('/v1/orders')));
    expect((await twenty()).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(keys.lookUps(key)).toBe(1);
    clock.advance(30_000);
    await twenty();
    expect(keys.lookUps(key)).toBe(2);
  });

  it('is queried for each key separately', async () => {
    const { client, keys } = await anApi();
    const [reader, writer] = [keys.issue({ scopes: ['orders:read'] }), keys.issue({ scopes: ['orders:write'] })];
    expect((await client(reader).get('/v1/orders')).status).toBe(200);
    expect((await client(writer).get('/v1/orders')).status).toBe(403);
  });

  it('is queried again for a key that it did not find', async () => {
    const { client, keys } = await anApi();
    const { key, hash } = newApiKey();
    expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect(keys.lookUps(key)).toBe(2);
    keys.keep(hash, {});
    expect((await client(key).get('/v1/orders')).status).toBe(200);
  });

  it('is not queried without a key or with several keys', async () => {
    const { client, keys } = await anApi();
    const key = keys.issue();
    await client().get('/v1/orders');
    await client().get('/v1/orders', { 'x-api-key': [key, key] });
    expect(keys.lookUps(key)).toBe(0);
  });
});

describe('the revocation of an API key', () => {
  it('takes effect at the next lookup of the key', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    expect((await client(key).get('/v1/orders')).status).toBe(200);
    keys.revoke(key, clock.now().toISOString());
    clock.advance(30_000);
    expect((await client(key).get('/v1/orders')).status).toBe(401);
  });
});

describe('an outage of the API key store', () => {
  it('is not cached', async () => {
    const keys = inMemoryApiKeys();
    let down = true;
    const find = (hash: string) => (down ? errAsync({ type: 'unavailable' as const, cause: 'down' }) : keys.find(hash));
    const { client } = await anApi({ keyStore: { find } });
    const key = keys.issue();
    expect((await client(key).get('/v1/orders')).status).toBe(503);
    down = false;
    expect((await client(key).get('/v1/orders')).status).toBe(200);
  });
});
