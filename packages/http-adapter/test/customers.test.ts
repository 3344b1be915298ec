import { describe, expect, it } from 'vitest';
import { undated } from './a-client.ts';
import { anApi } from './an-api.ts';
import { at, listAt, textAt } from './json.ts';
import { NO_ORDER } from './new-orders.ts';
import { walk } from './pages.ts';

const NOW = '2026-01-02T03:04:05.678Z';
const ADA = { email: 'ada@example.com', name: 'Ada', metadata: { segment: 'b2b' } };

/** Creates an API in which `acme` has a customer. */
async function anApiWithAda() {
  const api = await anApi();
  const created = await api.acme.post('/v1/customers', ADA);
  const id = textAt(created.body, 'id');
  return { ...api, created, id, url: `/v1/customers/${id}` };
}

describe('creating a customer', () => {
  it('returns 201 with Location, an entity tag and every field', async () => {
    const { created, id } = await anApiWithAda();
    expect(created.status).toBe(201);
    expect(created.headers).toMatchObject({ location: `/v1/customers/${id}`, etag: '"1-1"' });
    expect(created.body).toEqual({ id, ...ADA, version: 1, created_at: NOW, updated_at: NOW });
  });

  it('requires only an email', async () => {
    const { acme } = await anApi();
    const { body } = await acme.post('/v1/customers', { email: 'a@b' });
    expect(body).toMatchObject({ email: 'a@b', name: null, metadata: {} });
  });

  it.each([
    [{}, 'email', 'required'],
    [{ name: 'Ada' }, 'email', 'required'],
    [{ email: null }, 'email', 'required'],
    [{ email: 5 }, 'email', 'wrong_type'],
    [{ email: 'ada' }, 'email', 'invalid_format'],
    [{ email: 'a@b@c' }, 'email', 'invalid_format'],
    [{ email: 'a b@c' }, 'email', 'invalid_format'],
    [{ email: 'a@' }, 'email', 'too_short'],
    [{ email: `${'a'.repeat(253)}@b` }, 'email', 'too_long'],
    [{ email: 'a@b', name: '' }, 'name', 'too_short'],
    [{ email: 'a@b', id: NO_ORDER }, 'id', 'read_only'],
    [{ email: 'a@b', phone: '1' }, 'phone', 'unknown_field'],
  ])('rejects %j with the path of the field', async (body, field, code) => {
    const { acme } = await anApi();
    const response = await acme.post('/v1/customers', body);
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ field, code }] } });
    expect((await acme.get('/v1/customers')).body).toMatchObject({ data: [] });
  });
});

describe('the email of a customer', () => {
  it.each([
    ['the same email', 'ada@example.com', 'ada@example.com'],
    ['an email in upper case', 'ada@example.com', 'ADA@EXAMPLE.COM'],
    ['a decomposed email', 'ad\u00e9@example.com', 'ad\u0065\u0301@example.com'],
    ['a decomposed email in upper case', 'ad\u00e9@example.com', 'AD\u0045\u0301@example.com'],
  ])('is rejected for %s', async (_, first, second) => {
    const { acme } = await anApi();
    const customer_id = textAt((await acme.post('/v1/customers', { email: first })).body, 'id');
    const other = textAt((await acme.post('/v1/customers', { email: 'other@example.com' })).body, 'id');
    const taken = {
      status: 409,
      body: { code: 'email_taken', customer_id, errors: [{ field: 'email', code: 'taken' }] },
    };
    expect(await acme.post('/v1/customers', { email: second })).toMatchObject(taken);
    expect(await acme.patch(`/v1/customers/${other}`, { email: second })).toMatchObject(taken);
    expect((await acme.get(`/v1/customers/${other}`)).body).toMatchObject({ email: 'other@example.com', version: 1 });
  });

  it('is stored as sent, and may change its case', async () => {
    const { acme, url } = await anApiWithAda();
    expect((await acme.patch(url, { email: 'Ada@Example.COM' })).body).toMatchObject({ email: 'Ada@Example.COM' });
  });

  it('is reserved per owner, until its customer is deleted or changes it', async () => {
    const { acme, client, keys, url } = await anApiWithAda();
    const other = client(keys.issue({ owner: 'other' }));
    expect((await other.post('/v1/customers', ADA)).status).toBe(201);
    await acme.patch(url, { email: 'new@example.com' });
    expect((await acme.post('/v1/customers', ADA)).status).toBe(201);
    await acme.delete(url);
    expect((await acme.post('/v1/customers', { email: 'new@example.com' })).status).toBe(201);
  });

  it('is not a query parameter', async () => {
    const { acme } = await anApi();
    for (const name of ['email', 'name', 'status', 'customer_id']) {
      const response = await acme.get(`/v1/customers?${name}=ada%40example.com`);
      expect(response).toMatchObject({ status: 400, body: { code: 'unknown_parameter', errors: [{ field: name }] } });
    }
  });
});

describe('a customer', () => {
  it('is read as it was created, or as 304 for the current version', async () => {
    const { acme, url, created } = await anApiWithAda();
    const read = await acme.get(url);
    expect(read).toMatchObject({ status: 200, text: created.text, headers: { etag: '"1-1"' } });
    expect(read.headers['cache-control']).toBe('private, no-cache');
    expect(await acme.get(url, { 'if-none-match': '"1-1"' })).toMatchObject({ status: 304, text: '' });
    expect((await acme.get(url.toUpperCase().replace('/V1/CUSTOMERS', '/v1/customers'))).text).toBe(created.text);
  });

  it('is changed by a merge patch with conditions', async () => {
    const { acme, url, clock } = await anApiWithAda();
    clock.advance(1000);
    const patch = { name: null, metadata: { segment: null, tier: 'gold' } };
    const changed = await acme.patch(url, patch, { 'if-match': '"1-1"' });
    expect(changed).toMatchObject({ status: 200, headers: { etag: '"2-1"' } });
    expect(changed.body).toMatchObject({ email: ADA.email, name: null, updated_at: '2026-01-02T03:04:06.678Z' });
    expect(at(changed.body, 'metadata')).toEqual({ tier: 'gold' });
    const stale = await acme.patch(url, { name: 'x' }, { 'if-match': '"1-1"' });
    expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed', current_version: 2 } });
    expect(await acme.patch(url, {})).toMatchObject({ status: 200, text: changed.text });
  });

  it('cannot lose its email', async () => {
    const { acme, url } = await anApiWithAda();
    const response = await acme.patch(url, { email: null });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ field: 'email', code: 'required' }] } });
  });

  it('is deleted permanently, but not while orders refer to it', async () => {
    const { acme, url, id } = await anApiWithAda();
    const order = await acme.place({ customer_id: id });
    expect(await acme.delete(url)).toMatchObject({ status: 409, body: { code: 'customer_has_orders' } });
    await acme.delete(order.url);
    expect(await acme.delete(url)).toMatchObject({ status: 204, text: '' });
    for (const response of [await acme.get(url), await acme.patch(url, {}), await acme.delete(url)]) {
      expect(response).toMatchObject({ status: 404, body: { code: 'customer_not_found' } });
    }
    const refused = await acme.post('/v1/orders', { items: at(order.response.body, 'items'), customer_id: id });
    expect(refused.status).toBe(422);
  });

  it('has the same response for another owner as a nonexistent one', async () => {
    const { client, keys, url, id } = await anApiWithAda();
    const other = client(keys.issue({ owner: 'other' }));
    const sent = { 'x-request-id': 'the-same' };
    for (const send of [
      (path: string) => other.get(path, sent),
      (path: string) => other.patch(path, { name: 'x' }, sent),
      (path: string) => other.delete(path, { ...sent, 'if-match': '"9-1"' }),
    ]) {
      const theirs = JSON.stringify(undated(await send(url)));
      const nothing = JSON.stringify(undated(await send(`/v1/customers/${NO_ORDER}`)));
      expect(theirs.replaceAll(id, '')).toBe(nothing.replaceAll(NO_ORDER, ''));
    }
    expect((await other.get('/v1/customers')).body).toMatchObject({ data: [] });
  });
});

describe('the list of customers', () => {
  it.each([
    ['', ['c', 'b', 'a']],
    ['sort=created_at', ['a', 'b', 'c']],
    ['sort=updated_at', ['b', 'c', 'a']],
    ['sort=-updated_at', ['a', 'c', 'b']],
  ])('is returned completely in pages, sorted by "%s"', async (query, expected) => {
    const { acme, clock } = await anApi();
    const urls = [];
    for (const name of ['a', 'b', 'c']) {
      urls.push((await acme.post('/v1/customers', { email: `${name}@example.com`, name })).headers['location'] ?? '');
      clock.advance(1000);
    }
    await acme.patch(urls[0] ?? '', { metadata: { seen: 'yes' } });
    const pages = await walk(acme, `/v1/customers?limit=1&${query}`);
    expect(pages.flatMap(({ body }) => listAt(body, 'data').map((each) => at(each, 'name')))).toEqual(expected);
    const page = await acme.get(`/v1/customers?offset=1&limit=1&${query}`);
    expect(page.body).toMatchObject({ data: [{ name: expected[1] }], page: { offset: 1, has_more: true } });
  });
});
