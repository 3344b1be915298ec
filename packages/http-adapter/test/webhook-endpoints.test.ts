import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { createdEndpoint, ENDPOINT_MEMBERS, ENDPOINTS } from './created-endpoint.ts';
import { at, eachAt, listAt, membersOf, textAt } from './json.ts';
import { nextUrl } from './pages.ts';

describe('a webhook endpoint', () => {
  it('is read, listed, changed and deleted without its secret', async () => {
    const { acme } = await anApi();
    const { id, url, secret, response } = await createdEndpoint(acme, { description: 'The shop' });
    const read = await acme.get(url);
    expect(read).toMatchObject({ status: 200, headers: { etag: '"1-1"' } });
    expect(membersOf(read.body)).toEqual(ENDPOINT_MEMBERS);
    expect({ ...Object(read.body), secret }).toEqual(response.body);
    expect((await acme.get(url, { 'if-none-match': '"1-1"' })).status).toBe(304);

    const list = await acme.get(ENDPOINTS);
    expect(listAt(list.body, 'data')).toEqual([read.body]);

    const changed = await acme.patch(url, { status: 'disabled', description: null }, { 'if-match': '"1-1"' });
    expect(changed).toMatchObject({
      status: 200,
      headers: { etag: '"2-1"', 'cache-control': 'no-store' },
      body: { id, status: 'disabled', disabled_reason: 'requested', description: null, version: 2 },
    });
    expect(membersOf(changed.body)).toEqual(ENDPOINT_MEMBERS);
    expect((await acme.patch(url, { description: 'x' }, { 'if-match': '"1-1"' })).status).toBe(412);

    const deleted = await acme.delete(url, { 'if-match': '"2-1"' });
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(await acme.get(url)).toMatchObject({ status: 404, body: { code: 'webhook_endpoint_not_found' } });
    const all = [read, list, changed, deleted];
    expect(all.filter(({ text, headers }) => /whsec_|secret/.test(text + JSON.stringify(headers)))).toEqual([]);
  });

  it('is in the feed without its secret once it is disabled', async () => {
    const { acme } = await anApi();
    const { url } = await createdEndpoint(acme);
    const disabled = await acme.patch(url, { status: 'disabled' });
    await acme.patch(url, { status: 'enabled' });
    const events = await acme.get('/v1/events?include=resource');
    expect(eachAt(events, 'type')).toEqual(['webhook_endpoint.disabled']);
    expect(at(events.body, 'data', 0, 'resource', 'data')).toEqual(disabled.body);
  });

  it('is listed page by page, newest first', async () => {
    const { acme } = await anApi();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push((await createdEndpoint(acme)).id);
    const first = await acme.get(`${ENDPOINTS}?limit=2`);
    expect(eachAt(first, 'id')).toEqual([ids[2], ids[1]]);
    const next = nextUrl(first) ?? '';
    expect(eachAt(await acme.get(next), 'id')).toEqual([ids[0]]);
    const customers = await acme.get(`/v1/customers?after=${textAt(first.body, 'page', 'next_cursor')}`);
    expect(customers).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });
});
