import { describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, undated } from './a-client.ts';
import { anApi } from './an-api.ts';
import { textAt } from './json.ts';

const sent = { 'idempotency-key': 'k', 'x-request-id': 'the-same' };
const ADA = { email: 'ada@example.com', name: 'Ada' };

const WRITES: readonly [string, (client: Client, url: string) => Promise<ApiResponse>][] = [
  ['a creation', (client) => client.post('/v1/customers', { email: 'bob@example.com' }, sent)],
  ['a change', (client, url) => client.patch(url, { name: 'Ada L.' }, sent)],
  ['a change without effect', (client, url) => client.patch(url, {}, sent)],
  ['a deletion', (client, url) => client.delete(url, sent)],
];

describe.each(WRITES)('the replay of %s of a customer', (_, write) => {
  it('equals the first response, with Idempotent-Replayed: true', async () => {
    const { acme, clock } = await anApi();
    const url = (await acme.post('/v1/customers', ADA)).headers['location'] ?? '';
    const first = undated(await write(acme, url));
    expect(first.status).toBeLessThan(300);
    clock.advance(5000);
    await acme.patch(first.headers['location'] ?? url, { metadata: { later: 'yes' } });
    const again = undated(await write(acme, url));
    expect(again).toEqual({ ...first, headers: { ...first.headers, 'idempotent-replayed': 'true' } });
  });

  it('is rejected for another command', async () => {
    const { acme } = await anApi();
    const url = (await acme.post('/v1/customers', ADA)).headers['location'] ?? '';
    await write(acme, url);
    const other = await acme.post('/v1/customers', { email: 'eve@example.com' }, sent);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });
});

describe('the recorded result of a deleted customer', () => {
  it('is erased, so that a retry of the creation or a change returns 404', async () => {
    const { acme } = await anApi();
    const created = await acme.post('/v1/customers', ADA, { 'idempotency-key': 'create' });
    const url = `/v1/customers/${textAt(created.body, 'id')}`;
    await acme.patch(url, { name: 'Ada L.' }, { 'idempotency-key': 'change' });
    await acme.delete(url, { 'idempotency-key': 'delete' });
    const repeats = [
      await acme.post('/v1/customers', ADA, { 'idempotency-key': 'create' }),
      await acme.patch(url, { name: 'Ada L.' }, { 'idempotency-key': 'change' }),
    ];
    for (const response of repeats) {
      expect(response).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
      expect(response.text).not.toMatch(/Ada|ada@/);
    }
    expect(await acme.delete(url, { 'idempotency-key': 'delete' })).toMatchObject({
      status: 204,
      headers: { 'idempotent-replayed': 'true' },
    });
    expect((await acme.get('/v1/customers')).body).toMatchObject({ data: [] });
  });

  it('is erased without freeing the key for other commands', async () => {
    const { acme } = await anApi();
    const created = await acme.post('/v1/customers', ADA, { 'idempotency-key': 'create' });
    await acme.delete(created.headers['location'] ?? '');
    const other = await acme.post('/v1/customers', { email: 'bob@example.com' }, { 'idempotency-key': 'create' });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });
});
