import type { WebhookDelivery } from '@orders/domain/webhooks';
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
    const data = { id, position: null, type, resource, changed: [], occurred_at: NOW, actor: null };
    expect(JSON.parse(sent?.message.body ?? '')).toEqual({ type, timestamp: NOW, data });
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
    expect((await succeeds(webhooks.listDeliveries(OWNER, endpoint.id))).data).toEqual([]);
  });

  it('is sent to a disabled endpoint, too, with an id of its own', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    await succeeds(webhooks.testEndpoint(OWNER, id));
    await succeeds(webhooks.testEndpoint(OWNER, id));
    expect(new Set(webhooks.sent.map(({ message }) => message.id)).size).toBe(2);
  });
});

describe('the list of deliveries', () => {
  const positions = (deliveries: readonly WebhookDelivery[]) => deliveries.map(({ position }) => position);

  it('has pages, newest event first', async () => {
    const webhooks = aWebhooks();
    const { id, all } = await withDeliveries(webhooks);
    expect(positions(all)).toEqual([3, 2, 1]);
    const page = await succeeds(webhooks.listDeliveries(OWNER, id, { limit: 2 }));
    expect(positions(page.data)).toEqual([3, 2]);
    const before = page.next?.value ?? 0;
    expect(positions((await succeeds(webhooks.listDeliveries(OWNER, id, { before }))).data)).toEqual([1]);
    expect((await succeeds(webhooks.listDeliveries(OWNER, id, { before: 1 }))).data).toEqual([]);
  });

  it('has those of one status', async () => {
    const webhooks = aWebhooks();
    const { id } = await withDeliveries(webhooks);
    const count = async (status: string) =>
      (await succeeds(webhooks.listDeliveries(OWNER, id, { status }))).data.length;
    expect([await count('pending'), await count('failed')]).toEqual([3, 0]);
  });

  it.each([
    [{ limit: 0 }, 'limit: out_of_range'],
    [{ limit: 101 }, 'limit: out_of_range'],
    [{ before: 0 }, 'before: invalid_value'],
    [{ before: 1.5 }, 'before: invalid_value'],
    [{ status: 'lost' }, 'status: invalid_value'],
  ])('is rejected for %j', async (query, field) => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    expect(await fails(webhooks.listDeliveries(OWNER, id, query))).toMatchObject(invalidFields(field));
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

  it('is rejected for an event without a delivery', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const error = { type: 'delivery_not_found', event_id: UNKNOWN_ID };
    expect(await fails(webhooks.redeliver(OWNER, id, { event_id: UNKNOWN_ID }))).toEqual(error);
  });

  it.each([
    [{}, 'event_id: required'],
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
