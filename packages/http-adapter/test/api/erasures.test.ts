import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { at, listAt, textAt } from '../fixtures/json.ts';

const GUEST = { email: 'Ada@example.com', name: 'Ada' };

describe('an erasure by email', () => {
  it('is accepted, read and repeated by its key, and no response has the email', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place({ buyer: GUEST });
    const erase = () => acme.post('/v1/erasures', { email: 'ada@example.com' }, { 'idempotency-key': 'erasure' });
    const accepted = await erase();
    const id = textAt(accepted.body, 'id');
    const headers = { location: `/v1/erasures/${id}`, 'cache-control': 'no-store' };
    expect(accepted).toMatchObject({ status: 202, headers });
    expect(accepted.body).toEqual({ id, status: 'done' });
    expect(accepted.headers['etag']).toBeUndefined();
    expect(await erase()).toMatchObject({
      status: 202,
      text: accepted.text,
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(await acme.get(headers.location)).toMatchObject({ status: 200, text: accepted.text });
    expect((await acme.get(url)).body).toMatchObject({ buyer: null, version: 2 });
    const other = await acme.get('/v1/erasures/019b2a4e-8f00-7000-8000-00000000dead');
    expect(other).toMatchObject({ status: 404, body: { code: 'erasure_not_found' } });
  });
});

describe('the data of a person', () => {
  it('is found by an email in the body, page by page', async () => {
    const { acme } = await anApi();
    const ids = [];
    for (let count = 0; count < 2; count += 1) ids.push((await acme.place({ buyer: GUEST })).id);
    const found = [];
    for (let after: unknown; after !== null;) {
      const body = { email: 'ada@example.com', limit: 1, ...(after !== undefined && { after }) };
      const page = await acme.post('/v1/person_data', body);
      expect(page.status).toBe(200);
      expect(at(page.body, 'page', 'limit')).toBe(1);
      found.push(...listAt(page.body, 'data'));
      after = at(page.body, 'page', 'next_cursor');
      expect(at(page.body, 'page', 'has_more')).toBe(after !== null);
    }
    const lines = ids.flatMap((id) => [
      { kind: 'order', id },
      { kind: 'order_version', order_id: id, version: 1 },
    ]);
    expect(found).toMatchObject(lines);
  });

  it.each([7, 'bm8', ''])('refuses the cursor %j', async (after) => {
    const { acme } = await anApi();
    const refused = await acme.post('/v1/person_data', { email: 'ada@example.com', after });
    const errors = [{ field: 'after', code: 'invalid_value' }];
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
  });
});
