import { describe, expect, it } from 'vitest';
import { fails, invalidFields, OTHER_OWNER, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const KEY = { idempotencyKey: 'k' };

describe('a webhook endpoint', () => {
  it('is changed, rotated or deleted only at the expected version', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const mismatch = { type: 'version_mismatch', current_version: 1 };
    expect(await fails(webhooks.changeEndpoint(OWNER, id, {}, { ifVersion: [2] }))).toEqual(mismatch);
    expect(await fails(webhooks.rotateSecret(OWNER, id, {}, { ifVersion: [2] }))).toEqual(mismatch);
    expect(await fails(webhooks.deleteEndpoint(OWNER, id, { unlessVersion: 'any' }))).toEqual(mismatch);
    const { event } = await succeeds(webhooks.deleteEndpoint(OWNER, id, { ifVersion: [1] }));
    expect(event).toMatchObject({ type: 'webhook_endpoint.deleted', aggregate_id: id, version: 2 });
  });

  it('is not found for an unknown or malformed id, or for another owner', async () => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    for (const [owner, id] of [
      [OWNER, UNKNOWN_ID],
      [OWNER, 'e-7'],
      [OTHER_OWNER, endpoint.id],
    ] as const) {
      const calls = [
        webhooks.getEndpoint(owner, id),
        webhooks.changeEndpoint(owner, id, { description: 'x' }),
        webhooks.deleteEndpoint(owner, id),
        webhooks.rotateSecret(owner, id),
        webhooks.testEndpoint(owner, id),
        webhooks.listDeliveries(owner, id),
        webhooks.redeliver(owner, id, { event_id: UNKNOWN_ID }),
      ];
      for (const call of calls)
        expect(await fails<unknown, unknown>(call)).toEqual({ type: 'webhook_endpoint_not_found', id });
    }
    expect(webhooks.sent).toEqual([]);
    expect((await succeeds(webhooks.listEndpoints(OTHER_OWNER))).data).toEqual([]);
    expect(await fails(webhooks.listEndpoints(OWNER, { limit: 0 }))).toMatchObject(
      invalidFields('limit: out_of_range'),
    );
  });

  it('is erased by its deletion, which a retry replays', async () => {
    const webhooks = aWebhooks();
    const create = () => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, { idempotencyKey: 'create' });
    const { id } = (await succeeds(create())).endpoint;
    const change = () => webhooks.changeEndpoint(OWNER, id, { description: 'd' }, { idempotencyKey: 'change' });
    await succeeds(change());
    const remove = () => webhooks.deleteEndpoint(OWNER, id, KEY);
    expect((await succeeds(remove())).replayed).toBe(false);
    expect(await succeeds(remove())).toEqual({ event: null, replayed: true });
    const notFound = { type: 'webhook_endpoint_not_found', id };
    expect(await fails(create())).toEqual(notFound);
    expect(await fails(change())).toEqual(notFound);
  });
});
