import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { at, textAt } from '../../fixtures/json.ts';

const NOW = '2026-01-02T03:04:05.678Z';
const ADA = { email: 'ada@example.com', name: 'Ada', metadata: { segment: 'b2b' } };

describe('a customer', () => {
  it('is created, read, changed by a merge patch and deleted', async () => {
    const { acme, clock } = await anApi();
    const created = await acme.post('/v1/customers', ADA);
    const id = textAt(created.body, 'id');
    const url = `/v1/customers/${id}`;
    expect(created).toMatchObject({ status: 201, headers: { location: url, etag: '"1-1"' } });
    expect(created.body).toEqual({
      id,
      ...ADA,
      version: 1,
      created_at: NOW,
      updated_at: NOW,
      erased_at: null,
      erasure: null,
    });
    const read = await acme.get(url);
    expect(read).toMatchObject({
      status: 200,
      text: created.text,
      headers: { 'cache-control': 'private, no-cache, no-transform' },
    });
    expect((await acme.get(`/v1/customers/${id.toUpperCase()}`)).text).toBe(created.text);

    clock.advance(1000);
    const changed = await acme.patch(url, { name: null, metadata: { segment: null, tier: 'gold' } });
    const later = { email: ADA.email, name: null, updated_at: '2026-01-02T03:04:06.678Z' };
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2-1"' }, body: later });
    expect(at(changed.body, 'metadata')).toEqual({ tier: 'gold' });
    expect(await acme.patch(url, {})).toMatchObject({ status: 200, text: changed.text });

    const order = await acme.place({ customer_id: id });
    expect(await acme.delete(url)).toMatchObject({ status: 409, body: { code: 'customer_has_orders' } });
    await acme.delete(order.url);
    expect(await acme.delete(url)).toMatchObject({ status: 204, text: '' });
    for (const response of [await acme.get(url), await acme.patch(url, {}), await acme.delete(url)])
      expect(response).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
  });

  it('cannot have the email of another one, whose id the problem has', async () => {
    const { acme } = await anApi();
    const customer_id = textAt((await acme.post('/v1/customers', ADA)).body, 'id');
    const other = await acme.post('/v1/customers', { email: 'other@example.com' });
    const errors = [{ field: 'email', code: 'taken' }];
    const taken = { status: 409, body: { code: 'email_taken', customer_id, errors } };
    expect(await acme.post('/v1/customers', { email: 'ADA@EXAMPLE.COM' })).toMatchObject(taken);
    expect(await acme.patch(other.headers['location'] ?? '', { email: ADA.email })).toMatchObject(taken);
  });

  it('is erased at once, and has a tag of its own until its orders are, too', async () => {
    const { acme, store } = await anApi();
    const { body, headers } = await acme.post('/v1/customers', ADA);
    const [id, url] = [textAt(body, 'id'), headers['location'] ?? ''];
    // More than one batch.
    for (let count = 0; count < 11; count += 1) await acme.place({ customer_id: id });
    const gone = { email: null, name: null, metadata: {}, version: 2 };
    const pending = { status: 200, headers: { etag: '"2-0"' }, body: { ...gone, erasure: { status: 'pending' } } };
    expect(await acme.post(`${url}/erasures`)).toMatchObject(pending);
    expect(await acme.get(url)).toMatchObject(pending);
    const finished = store.customers.findErasing('acme').andThen((all) => store.customers.finishErasures('acme', all));
    expect((await finished).isOk()).toBe(true);
    const done = { status: 200, headers: { etag: '"2-1"' }, body: { ...gone, erasure: { status: 'done' } } };
    expect(await acme.get(url, { 'if-none-match': '"2-0"' })).toMatchObject(done);
    expect(await acme.get(url, { 'if-none-match': '"2-1"' })).toMatchObject({ status: 304 });
    // It may have got something since.
    expect(await acme.post(`${url}/erasures`)).toMatchObject(pending);
  });

  it('is found by its email in any case, and listed by its id and times', async () => {
    const { acme, clock } = await anApi();
    const ada = at((await acme.post('/v1/customers', ADA)).body);
    clock.advance(1000);
    await acme.post('/v1/customers', { email: 'bob@example.com' });
    const page = { limit: 20, has_more: false, next_cursor: null };
    const found = await acme.post('/v1/customer_searches', { email: 'ADA@example.COM' });
    expect(found).toMatchObject({ status: 200, body: { data: [ada], page }, headers: { 'cache-control': 'no-store' } });
    expect((await acme.post('/v1/customer_searches', { email: 'x@example.com' })).body).toEqual({ data: [], page });
    for (const query of [`ids=${textAt(ada, 'id')}`, 'created_at_before=2026-01-02T03:04:06.678Z'])
      expect(at((await acme.get(`/v1/customers?${query}`)).body, 'data')).toEqual([ada]);
  });
});
