import { faulty, SimulatedFault } from '@orders/domain/testing';
import { replaceLostSecrets, type WebhookEndpointRepository } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { fails, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf } from '../fixtures/a-webhooks.ts';

/** Creates an endpoint under `key-1`, which the server then loses. */
async function afterLoss() {
  const webhooks = aWebhooks();
  const { id } = await anEndpoint(webhooks);
  webhooks.useKey('key-2');
  return {
    webhooks,
    id,
    replace: (key = 'key-1') => succeeds(replaceLostSecrets(webhooks.ports, OWNER, id, key)),
    find: () => succeeds(webhooks.getEndpoint(OWNER, id)),
  };
}

describe('a webhook endpoint whose signing key is lost', () => {
  it('gets a secret of the newest key, and is disabled for its owner to see', async () => {
    const { webhooks, id, replace, find } = await afterLoss();
    expect(await replace()).toBe(true);
    expect(await find()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'secret_lost',
      version: 2,
      secrets: [{ serial: 2, key: 'key-2', expires_at: null }],
    });
    expect((await feedOf(webhooks)).map(({ type, changed, actor }) => [type, changed, actor])).toEqual([
      ['webhook_endpoint.disabled', ['status', 'disabled_reason', 'secrets'], null],
    ]);
    const { secret } = await succeeds(webhooks.rotateSecret(OWNER, id, { overlap_seconds: 0 }));
    expect(secret).toBe(`whsec_${OWNER}/${id}/3/key-2`);
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'enabled' }));
    expect(await find()).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('keeps the reason for which it was disabled', async () => {
    const { webhooks, id, replace, find } = await afterLoss();
    await succeeds(webhooks.changeEndpoint(OWNER, id, { status: 'disabled' }));
    expect(await replace()).toBe(false);
    expect(await find()).toMatchObject({
      disabled_reason: 'requested',
      version: 3,
      secrets: [{ serial: 2, key: 'key-2' }],
    });
    expect(await feedOf(webhooks)).toHaveLength(1);
  });

  it('stays enabled when it has rotated its secret, and loses the earlier one alone', async () => {
    const { webhooks, id, replace, find } = await afterLoss();
    await succeeds(webhooks.rotateSecret(OWNER, id));
    expect((await find()).secrets).toHaveLength(2);
    expect(await replace()).toBe(false);
    const endpoint = await find();
    expect(endpoint).toMatchObject({ status: 'enabled', version: 3 });
    expect(endpoint.secrets).toEqual([{ serial: 2, key: 'key-2', expires_at: null }]);
    expect(await feedOf(webhooks)).toEqual([]);
  });

  it('is recorded as a rotation when it stays enabled', async () => {
    const { webhooks, id } = await afterLoss();
    await succeeds(webhooks.rotateSecret(OWNER, id));
    const { endpoints } = webhooks.ports;
    const events: unknown[] = [];
    const commit: WebhookEndpointRepository['commit'] = (owner, write) => {
      if (write.kind === 'change') events.push(write.event);
      return endpoints.commit(owner, write);
    };
    const noted = { ...webhooks.ports, endpoints: { ...endpoints, commit } };
    expect(await succeeds(replaceLostSecrets(noted, OWNER, id, 'key-1'))).toBe(false);
    expect(events).toMatchObject([{ type: 'webhook_endpoint.secret_rotated', changed: ['secrets'] }]);
  });

  it('keeps an earlier secret of another key', async () => {
    const { webhooks, id, replace, find } = await afterLoss();
    await succeeds(webhooks.rotateSecret(OWNER, id));
    expect(await replace('key-2')).toBe(true);
    expect((await find()).secrets.map(({ serial, key }) => [serial, key])).toEqual([
      [3, 'key-2'],
      [1, 'key-1'],
    ]);
  });

  it('is not changed when it has no secret of the key, or was deleted', async () => {
    const { webhooks, id, replace, find } = await afterLoss();
    expect(await replace('key-3')).toBe(false);
    expect((await find()).version).toBe(1);
    await succeeds(webhooks.deleteEndpoint(OWNER, id));
    expect(await replace()).toBe(false);
  });

  it('is unavailable when the store is', async () => {
    const { ports, store } = aWebhooks();
    const { webhookEndpoints: endpoints } = faulty(store, { 'webhookEndpoints.load': 'unavailable' });
    const error = await fails(replaceLostSecrets({ ...ports, endpoints }, OWNER, UNKNOWN_ID, 'key-1'));
    expect(error.cause).toBeInstanceOf(SimulatedFault);
  });
});
