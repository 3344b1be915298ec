import type { Idempotency } from '@orders/domain';
import type { UntypedWebhooks } from '@orders/domain/webhooks';
import { errAsync, type ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { OWNER, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const KEY = { idempotencyKey: 'key-1' };

/** Returns the fingerprint that a write hands to its port. */
async function fingerprintOf(write: (webhooks: UntypedWebhooks) => ResultAsync<unknown, unknown>) {
  let requested: Idempotency | undefined;
  const findRecorded = (_owner: string, key: Idempotency) => {
    requested = key;
    return errAsync({ type: 'unavailable', cause: 'captured' } as const);
  };
  const endpoints = { ...aWebhooks().ports.endpoints, findRecorded };
  await write(aWebhooks({ endpoints }));
  return requested?.fingerprint;
}

// Stores keep fingerprints until their keys expire. A release that changed their text would reject every retry.
it.each<[string, (webhooks: UntypedWebhooks) => ResultAsync<unknown, unknown>, string]>([
  [
    'creating an endpoint',
    (webhooks) => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER, types: ['order.paid'] }, KEY),
    `["create_webhook_endpoint",[["include",[]],["types",["order.paid"]],["url","${URL_OF_RECEIVER}"]]]`,
  ],
  [
    'changing an endpoint',
    (webhooks) => webhooks.changeEndpoint(OWNER, UNKNOWN_ID, { status: 'disabled', types: null }, KEY),
    `["change_webhook_endpoint","${UNKNOWN_ID}",[["status","disabled"],["types",null]]]`,
  ],
  [
    'rotating a secret',
    (webhooks) => webhooks.rotateSecret(OWNER, UNKNOWN_ID, {}, KEY),
    `["rotate_webhook_secret","${UNKNOWN_ID}",86400]`,
  ],
  [
    'deleting an endpoint',
    (webhooks) => webhooks.deleteEndpoint(OWNER, UNKNOWN_ID, KEY),
    `["delete_webhook_endpoint","${UNKNOWN_ID}"]`,
  ],
])('the fingerprint of %s never changes', async (_, write, expected) => {
  expect(await fingerprintOf(write)).toBe(expected);
});

it('the time of the key of an endpoint is that of the port', async () => {
  const webhooks = aWebhooks({ idempotencyTtlMs: 1000 });
  const create = () => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, KEY);
  const first = (await create())._unsafeUnwrap();
  webhooks.clock.advance(999);
  expect((await create())._unsafeUnwrap().endpoint.id).toBe(first.endpoint.id);
  webhooks.clock.advance(1);
  expect((await create())._unsafeUnwrap().endpoint.id).not.toBe(first.endpoint.id);
});
