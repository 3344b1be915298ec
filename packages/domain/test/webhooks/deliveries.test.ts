import { type WebhookDelivery, webhookMessage } from '@orders/domain/webhooks';
import { aCustomer, anEventOfCustomer } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, ATTEMPT, aWebhooks, type WebhooksUnderTest } from '../fixtures/a-webhooks.ts';

/** Creates an endpoint with three deliveries, and returns them, newest event first. */
async function withDeliveries(webhooks: WebhooksUnderTest) {
  const { id } = await anEndpoint(webhooks);
  for (let count = 0; count < 3; count += 1) {
    const after = aCustomer();
    const event = anEventOfCustomer(OWNER, after);
    await succeeds(webhooks.store.customers.commit(OWNER, { kind: 'create', after, event, key: undefined }));
  }
  await succeeds(webhooks.store.webhookQueue.fanOut(OWNER));
  const { data } = await succeeds(webhooks.listDeliveries(OWNER, id));
  return { id, all: data };
}

it('a message has the type and time of the event beside its data, in this order', () => {
  const event = { id: 'e', type: 'order.placed', occurred_at: NOW, position: 7 };
  const message = webhookMessage(event, { position: 7 });
  expect(message).toEqual({ id: 'e', body: `{"type":"order.placed","timestamp":"${NOW}","data":{"position":7}}` });
});

describe('a test of an endpoint', () => {
  it('sends one message with the members of an event, and returns the attempt', async () => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    expect(await succeeds(webhooks.testEndpoint(OWNER, endpoint.id))).toEqual(ATTEMPT);
    const [sent, ...others] = webhooks.sent;
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ owner: OWNER, endpoint });
    const id = sent?.message.id;
    const type = 'webhook_endpoint.test';
    const resource = { type: 'webhook_endpoint', id: endpoint.id, version: 1 };
    const data = {
      id,
      position: null,
      type,
      resource,
      changed: [],
      occurred_at: NOW,
      actor: null,
      external_user_id: null,
    };
    expect(JSON.parse(sent?.message.body ?? '')).toEqual({ type, timestamp: NOW, data });
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
    expect((await succeeds(webhooks.listDeliveries(OWNER, endpoint.id))).data).toEqual([]);
  });

  it('is sent to a disabled endpoint, too, with an id of its own', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    for (let count = 0; count < 2; count += 1) await succeeds(webhooks.testEndpoint(OWNER, id));
    expect(new Set(webhooks.sent.map(({ message }) => message.id)).size).toBe(2);
  });
});

describe('the list of deliveries', () => {
  const positions = (deliveries: readonly WebhookDelivery[]) => deliveries.map(({ position }) => position);

  it('has pages, newest event first, and those of one status', async () => {
    const webhooks = aWebhooks();
    const { id, all } = await withDeliveries(webhooks);
    expect(positions(all)).toEqual([3, 2, 1]);
    const page = await succeeds(webhooks.listDeliveries(OWNER, id, { limit: 2 }));
    expect(positions(page.data)).toEqual([3, 2]);
    const after = page.next ?? undefined;
    expect(positions((await succeeds(webhooks.listDeliveries(OWNER, id, { after }))).data)).toEqual([1]);
    const count = async (status: string) =>
      (await succeeds(webhooks.listDeliveries(OWNER, id, { status }))).data.length;
    expect([await count('pending'), await count('failed')]).toEqual([3, 0]);
  });
});

describe('a patch with `status: enabled`', () => {
  it('ends the wait for an endpoint that rejected what it received, also if it changes nothing', async () => {
    const webhooks = aWebhooks();
    const { id, all } = await withDeliveries(webhooks);
    const { webhookQueue: queue } = webhooks.store;
    const attempt = { status: 500, error: 'status_not_accepted', duration_ms: 1, retryAfterMs: null } as const;
    for (const one of await succeeds(queue.claim(OWNER, all.length)))
      await succeeds(queue.settle(OWNER, one, attempt, { status: 'pending', retryInMs: 300_000 }));
    expect(await succeeds(queue.claim(OWNER, all.length))).toEqual([]);
    expect(await fails(webhooks.changeEndpoint(OWNER, id, { status: 'enabled' }, { ifVersion: [7] }))).toMatchObject({
      type: 'precondition_failed',
    });
    await succeeds(webhooks.changeEndpoint(OWNER, id, { description: null }));
    expect(await succeeds(queue.claim(OWNER, all.length))).toEqual([]);
    const written = await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'enabled' }));
    expect(written).toMatchObject({ endpoint: { version: 1 }, event: null });
    expect(await succeeds(queue.claim(OWNER, all.length))).not.toEqual([]);
  });
});

describe('a redelivery', () => {
  it('returns the delivery of the event, and takes ids in upper case', async () => {
    const webhooks = aWebhooks();
    const { id, all } = await withDeliveries(webhooks);
    const event_id = all[1]?.event_id.toUpperCase();
    expect(await succeeds(webhooks.redeliver(OWNER, id.toUpperCase(), { event_id }))).toMatchObject({
      position: 2,
      status: 'pending',
    });
  });

  it.each([
    [{}, 'event_id: required (is required)'],
    [{ event_id: null }, 'event_id: required'],
    [{ event_id: 7 }, 'event_id: wrong_type'],
    [{ event_id: 'e-7' }, 'event_id: invalid_format'],
    [{ event_id: UNKNOWN_ID, position: 1 }, 'position: unknown_field'],
    [[], ': wrong_type'],
  ])('is rejected for %j', async (input, field) => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    expect(await fails(webhooks.redeliver(OWNER, id, input))).toMatchObject(invalidFields(field));
  });
});
