import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { createdEndpoint } from '../../fixtures/created-endpoint.ts';
import { eachAt, listAt } from '../../fixtures/json.ts';
import { NO_ORDER } from '../../fixtures/new-orders.ts';

describe('the deliveries of a webhook endpoint', () => {
  const delivered = async () => {
    const api = await anApi();
    const { id, url } = await createdEndpoint(api.acme, { types: ['order.placed'] });
    for (let count = 0; count < 3; count += 1) await api.acme.place();
    await api.acme.post('/v1/customers', { email: 'ada@example.com' });
    return { ...api, id, url: `${url}/deliveries` };
  };

  it('are listed, newest event first, with their results', async () => {
    const { acme, store, url } = await delivered();
    const before = await acme.get(url);
    expect(eachAt(before, 'position')).toEqual([3, 2, 1]);
    expect(eachAt(before, 'type')).toEqual(['order.placed', 'order.placed', 'order.placed']);
    const [claimed] = (await store.webhookQueue.claim('acme', 1))._unsafeUnwrap();
    if (claimed === undefined) throw new Error('nothing was claimed');
    const attempt = { status: 503, error: 'status_not_accepted', duration_ms: 87, retryAfterMs: null } as const;
    const settlement = { status: 'pending', retryInMs: 5000 } as const;
    (await store.webhookQueue.settle('acme', claimed, attempt, settlement))._unsafeUnwrap();
    const after = await acme.get(url);
    expect(after.headers['cache-control']).toBe('no-store');
    expect(listAt(after.body, 'data').at(-1)).toEqual({
      event_id: claimed.event.id,
      position: 1,
      type: 'order.placed',
      status: 'pending',
      attempts: 1,
      last_status: 503,
      last_error: 'status_not_accepted',
      last_duration_ms: 87,
      next_attempt_at: '2026-01-02T03:04:10.678Z',
    });
  });

  it('are requested again with 202, and 404 for an event without a delivery', async () => {
    const { acme, url } = await delivered();
    const [newest] = eachAt(await acme.get(url), 'event_id');
    const response = await acme.post(url, { event_id: newest });
    expect(response).toMatchObject({
      status: 202,
      headers: { 'cache-control': 'no-store' },
      body: { event_id: newest, status: 'pending', attempts: 0 },
    });
    expect(response.headers).not.toHaveProperty('etag');
    const [customer] = eachAt(await acme.get('/v1/events?types=customer.created'), 'id');
    for (const event_id of [customer, NO_ORDER]) {
      const missing = await acme.post(url, { event_id });
      expect(missing).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
    }
  });
});
