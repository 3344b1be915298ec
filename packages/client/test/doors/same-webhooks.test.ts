import { describe, expect, it } from 'vitest';
import { bare, DOORS, NO_ID, take, TEA } from './doors.ts';

const URL_OF_HOOK = 'https://example.com/hook';

describe.each(DOORS)('webhooks through %s', (_, open) => {
  it('creates, changes and deletes an endpoint, and shows its secret once', async () => {
    const { webhooks } = (await open()).orders;
    const created = (await webhooks.create({ url: URL_OF_HOOK, types: ['order.placed'] }))._unsafeUnwrap();
    const { endpoint, secret, idempotencyKey } = created;
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toMatchObject({ url: URL_OF_HOOK, types: ['order.placed'], status: 'enabled', version: 1 });
    expect(Object.keys(endpoint)).not.toContain('secrets');
    const again = await webhooks.create({ url: URL_OF_HOOK, types: ['order.placed'] }, { idempotencyKey });
    expect(again._unsafeUnwrap()).toEqual({ ...created, replayed: true });
    expect((await webhooks.get(endpoint.id))._unsafeUnwrap()).toEqual(endpoint);
    expect(await take(webhooks.list())).toEqual([endpoint]);
    const disabled = await webhooks.change(endpoint.id, { status: 'disabled' }, { ifVersion: 1 });
    expect(disabled._unsafeUnwrap().endpoint).toMatchObject({ status: 'disabled', disabled_reason: 'requested' });
    const stale = (await webhooks.delete(endpoint.id, { ifVersion: 1 }))._unsafeUnwrapErr();
    expect(bare(stale)).toEqual({ type: 'precondition_failed', current_version: 2 });
    expect((await webhooks.delete(endpoint.id))._unsafeUnwrap().replayed).toBe(false);
    expect(await take(webhooks.list())).toEqual([]);
  });

  it('rotates a secret, and does not show a superseded one', async () => {
    const { webhooks } = (await open()).orders;
    const created = (await webhooks.create({ url: URL_OF_HOOK }))._unsafeUnwrap();
    const { id } = created.endpoint;
    const rotated = (await webhooks.rotateSecret(id, { overlap_seconds: 60 }, { ifVersion: 1 }))._unsafeUnwrap();
    expect(rotated.secret).not.toBe(created.secret);
    expect(rotated.endpoint.version).toBe(2);
    const retried = await webhooks.create({ url: URL_OF_HOOK }, { idempotencyKey: created.idempotencyKey });
    expect(bare(retried._unsafeUnwrapErr())).toEqual({ type: 'secret_superseded' });
  });

  it('tests an endpoint, and delivers an event again', async () => {
    const { orders } = await open();
    const { endpoint } = (await orders.webhooks.create({ url: URL_OF_HOOK }))._unsafeUnwrap();
    expect((await orders.webhooks.test(endpoint.id))._unsafeUnwrap()).toEqual({
      status: 204,
      error: null,
      duration_ms: 12,
    });
    for (let number = 0; number < 3; number += 1) await orders.place({ items: [TEA] });
    const deliveries = await take(orders.webhooks.deliveries(endpoint.id, { limit: 2, status: 'pending' }));
    expect(deliveries.map(({ position, type }) => [position, type])).toEqual([
      [3, 'order.placed'],
      [2, 'order.placed'],
      [1, 'order.placed'],
    ]);
    const eventId = deliveries[0]?.event_id ?? '';
    expect((await orders.webhooks.redeliver(endpoint.id, eventId))._unsafeUnwrap()).toMatchObject({
      event_id: eventId,
      status: 'pending',
    });
    expect(bare((await orders.webhooks.redeliver(endpoint.id, NO_ID))._unsafeUnwrapErr())).toEqual({
      type: 'delivery_not_found',
    });
    expect(bare((await orders.webhooks.redeliver(endpoint.id, 'x'))._unsafeUnwrapErr())).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'event_id' }],
    });
  });

  it('has at most ten endpoints, with valid URLs', async () => {
    const { webhooks } = (await open()).orders;
    const invalid = (await webhooks.create({ url: 'http://example.com' }))._unsafeUnwrapErr();
    expect(bare(invalid)).toMatchObject({ type: 'validation_failed', errors: [{ field: 'url' }] });
    for (let number = 0; number < 10; number += 1) await webhooks.create({ url: `${URL_OF_HOOK}/${number}` });
    expect(bare((await webhooks.create({ url: URL_OF_HOOK }))._unsafeUnwrapErr())).toEqual({
      type: 'too_many_endpoints',
    });
  });

  it.each([NO_ID, '..'])('has no endpoint %j', async (id) => {
    const { webhooks } = (await open()).orders;
    const results = await Promise.all([
      webhooks.get(id),
      webhooks.change(id, { status: 'enabled' }),
      webhooks.delete(id),
      webhooks.rotateSecret(id),
      webhooks.test(id),
      webhooks.deliveries(id).page(),
      webhooks.redeliver(id, NO_ID),
    ]);
    for (const result of results)
      expect(bare(result._unsafeUnwrapErr())).toEqual({ type: 'webhook_endpoint_not_found' });
  });
});
