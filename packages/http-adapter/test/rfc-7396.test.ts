import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { at } from './json.ts';

/*
 * RFC 7396, JSON Merge Patch. What does not apply:
 * - Section 2, a patch that is not an object replaces the whole: an order is always an object, so it is rejected.
 * - Section 2, null removes a member: an order has all of its members, so null empties those that may be empty.
 * - Section 1, arrays are replaced: no list of an order can be changed.
 */

const merge = { 'content-type': 'application/merge-patch+json' };

/** Returns the metadata of an order after a merge patch, given the metadata before. */
async function patched(before: unknown, patch: unknown) {
  const { acme } = await anApi();
  const { url } = await acme.place({ metadata: before });
  const response = await acme.patch(url, { metadata: patch }, merge);
  expect(response.status).toBe(200);
  expect((await acme.get(url)).text).toBe(response.text);
  return at(response.body, 'metadata');
}

describe('RFC 7396 section 2: a merge patch', () => {
  // The examples of appendix A that are about text.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{}, { a: null }, {}],
    [{ a: 'b' }, {}, { a: 'b' }],
    [{ a: 'b' }, { a: null, b: 'c' }, { b: 'c' }],
    [{ e: 'x' }, { a: '1', e: null }, { a: '1' }],
    [{ a: 'b' }, null, {}],
    [{ a: '' }, { b: '' }, { a: '', b: '' }],
  ])('converts %j by %j to %j', async (before, patch, after) => {
    expect(await patched(before, patch)).toStrictEqual(after);
  });

  it('treats unusual names literally', async () => {
    const before: unknown = JSON.parse('{"__proto__":"a","a.b":"c","constructor":"d"}');
    const patch: unknown = JSON.parse('{"__proto__":null,"a/b":"e","toString":"f","constructor":"g"}');
    const after: unknown = JSON.parse('{"a.b":"c","constructor":"g","a/b":"e","toString":"f"}');
    expect(await patched(before, patch)).toStrictEqual(after);
  });

  it('is idempotent', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place({ note: 'x', metadata: { a: 'b' } });
    const patch = { note: null, metadata: { a: null, c: 'd' } };
    const first = await acme.patch(url, patch, merge);
    expect(first.body).toMatchObject({ version: 2, note: null });
    expect((await acme.patch(url, patch, merge)).text).toBe(first.text);
  });

  it('keeps omitted members, and clears members by null', async () => {
    const { acme } = await anApi();
    const { url, response } = await acme.place({ note: 'x', reference: 'A-1', metadata: { a: 'b' } });
    const { body } = await acme.patch(url, { reference: null }, merge);
    expect(body).toEqual({ ...Object(response.body), reference: null, version: 2 });
  });

  it.each([
    ['status', { status: null }, 'required'],
    ['items', { items: null }, 'read_only'],
    ['id', { id: null }, 'read_only'],
    ['total', { total: { amount: 1 } }, 'read_only'],
    ['version', { version: 1 }, 'read_only'],
    ['colour', { colour: null }, 'unknown_field'],
    ['metadata', { metadata: [] }, 'wrong_type'],
    ['metadata["a"]', { metadata: { a: { b: null } } }, 'wrong_type'],
    ['metadata["a"]', { metadata: { a: ['b'] } }, 'wrong_type'],
    ['', [], 'wrong_type'],
    ['', null, 'wrong_type'],
    ['', 'x', 'wrong_type'],
  ])('is rejected for %s: %j', async (field, patch, code) => {
    const { acme } = await anApi();
    const { url } = await acme.place({ metadata: { a: 'b' } });
    const payload = JSON.stringify(patch);
    const response = await acme.send({ method: 'PATCH', url, headers: merge, payload });
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ field, code }] } });
    expect((await acme.get(url)).body).toMatchObject({ version: 1, metadata: { a: 'b' } });
  });

  it('is applied completely or not at all', async () => {
    const { acme } = await anApi();
    await acme.place({ reference: 'A-1' });
    const { url, response } = await acme.place({ note: 'x' });
    for (const patch of [
      { note: 'y', reference: 'A-1' },
      { note: 'y', status: 'delivered' },
      { note: 'y', metadata: { a: 5 } },
    ]) {
      expect((await acme.patch(url, patch, merge)).status).toBeGreaterThanOrEqual(400);
      expect((await acme.get(url)).text).toBe(response.text);
    }
  });
});

describe('RFC 7396 section 4: the media type', () => {
  it('is listed in Accept-Patch of orders and customers', async () => {
    const { acme } = await anApi();
    const order = await acme.place();
    const customer = await acme.post('/v1/customers', { email: 'ada@example.com' });
    for (const url of [order.url, customer.headers['location'] ?? '']) {
      const { headers } = await acme.send({ method: 'OPTIONS', url });
      expect(headers['accept-patch']?.split(', ')[0]).toBe('application/merge-patch+json');
      expect((await acme.patch(url, {}, merge)).status).toBe(200);
      const refused = await acme.patch(url, {}, { 'content-type': 'application/json-patch+json' });
      expect(refused).toMatchObject({ status: 415, headers: { 'accept-patch': headers['accept-patch'] } });
    }
  });
});
