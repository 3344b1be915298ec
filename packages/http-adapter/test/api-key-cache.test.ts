import { newApiKey } from '@orders/http-adapter';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { inMemoryApiKeys } from './in-memory-api-keys.ts';

describe('the store of API keys', () => {
  it('is asked for a key once in thirty seconds, and then again', async () => {
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

  it('is asked once by requests that come at the same moment', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => client(key).get('/v1/orders')));
    expect((await twenty()).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(keys.lookUps(key)).toBe(1);
    clock.advance(30_000);
    await twenty();
    expect(keys.lookUps(key)).toBe(2);
  });

  it('is asked for each key of its own', async () => {
    const { client, keys } = await anApi();
    const [reader, writer] = [keys.issue({ scopes: ['orders:read'] }), keys.issue({ scopes: ['orders:write'] })];
    expect((await client(reader).get('/v1/orders')).status).toBe(200);
    expect((await client(writer).get('/v1/orders')).status).toBe(403);
  });

  it('is asked again for a key that it did not know', async () => {
    const { client, keys } = await anApi();
    const { key, hash } = newApiKey();
    expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect(keys.lookUps(key)).toBe(2);
    keys.keep(hash, {});
    expect((await client(key).get('/v1/orders')).status).toBe(200);
  });

  it('is not asked without a key or for more than one', async () => {
    const { client, keys } = await anApi();
    const key = keys.issue();
    await client().get('/v1/orders');
    await client().get('/v1/orders', { 'x-api-key': [key, key] });
    expect(keys.lookUps(key)).toBe(0);
  });
});

describe('a revocation', () => {
  it('takes effect when the key is looked up again', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    expect((await client(key).get('/v1/orders')).status).toBe(200);
    keys.revoke(key, clock.now().toISOString());
    clock.advance(30_000);
    expect((await client(key).get('/v1/orders')).status).toBe(401);
  });
});

describe('an outage of the store', () => {
  it('is not remembered', async () => {
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
