import { faulty, SimulatedFault } from '@orders/domain/testing';
import { disableEndpoint } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { fails, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf } from '../fixtures/a-webhooks.ts';

describe('a webhook endpoint that is disabled', () => {
  it('is announced by webhook_endpoint.disabled once, with all changed fields', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const disable = () => webhooks.changeEndpoint(OWNER, id, { status: 'disabled', description: 'd' }, { actor: 'a' });
    const { endpoint, event } = await succeeds(disable());
    expect(endpoint).toMatchObject({ status: 'disabled', disabled_reason: 'requested', version: 2 });
    expect(event).toMatchObject({ type: 'webhook_endpoint.disabled', actor: 'a' });
    expect(event?.changed).toEqual(['description', 'status', 'disabled_reason']);
    expect((await succeeds(disable())).event).toBe(null);
    expect((await feedOf(webhooks)).map(({ type, resource }) => [type, resource])).toEqual([
      ['webhook_endpoint.disabled', { type: 'webhook_endpoint', id, version: 2, data: endpoint }],
    ]);
  });

  it('has the reason of the attempt that disabled it, and no actor', async () => {
    for (const reason of ['gone', 'deliveries_failed'] as const) {
      const webhooks = aWebhooks();
      const endpoint = await anEndpoint(webhooks);
      expect(await succeeds(disableEndpoint(webhooks.ports, OWNER, endpoint, reason))).toBe(true);
      const found = await succeeds(webhooks.getEndpoint(OWNER, endpoint.id));
      expect(found).toMatchObject({ status: 'disabled', disabled_reason: reason, version: 2 });
      expect((await feedOf(webhooks)).map(({ type, actor }) => [type, actor])).toEqual([
        ['webhook_endpoint.disabled', null],
      ]);
    }
  });

  it('is not changed by an attempt, nor is one that was deleted or has another URL', async () => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    const { id } = endpoint;
    const disable = () => succeeds(disableEndpoint(webhooks.ports, OWNER, endpoint, 'gone'));
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    expect(await disable()).toBe(false);
    const before = await succeeds(webhooks.getEndpoint(OWNER, id));
    expect(before).toMatchObject({ disabled_reason: 'requested', version: 2 });
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'enabled', url: 'https://other.example/' }));
    expect(await disable()).toBe(false);
    expect((await succeeds(webhooks.getEndpoint(OWNER, id))).status).toBe('enabled');
    await succeeds(webhooks.deleteEndpoint(OWNER, id));
    expect(await disable()).toBe(false);
  });

  it('is unavailable to an attempt when the store is', async () => {
    const { ports, store } = aWebhooks();
    const { webhookEndpoints: endpoints } = faulty(store, { 'webhookEndpoints.load': 'unavailable' });
    const error = await fails(disableEndpoint({ ...ports, endpoints }, OWNER, { id: UNKNOWN_ID, url: 'u' }, 'gone'));
    expect(error.cause).toBeInstanceOf(SimulatedFault);
  });

  it('is recorded once: a later change of the disabled endpoint is a change like any other', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    const { event } = await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled', description: 'd' }));
    expect(event).toMatchObject({ type: 'webhook_endpoint.changed', changed: ['description'] });
    expect(await feedOf(webhooks)).toHaveLength(1);
  });

  it('keeps its reason when it is disabled again, and loses it when it is enabled', async () => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    const { id } = endpoint;
    await succeeds(disableEndpoint(webhooks.ports, OWNER, endpoint, 'gone'));
    const again = await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    expect([again.event, again.endpoint.disabled_reason]).toEqual([null, 'gone']);
    const { endpoint: enabled, event } = await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'enabled' }));
    expect(enabled).toMatchObject({ status: 'enabled', disabled_reason: null, version: 3 });
    expect(event).toMatchObject({ type: 'webhook_endpoint.changed', changed: ['status', 'disabled_reason'] });
  });
});
