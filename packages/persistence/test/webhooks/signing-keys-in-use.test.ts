import { aWebhookEndpoint } from '@orders/domain/testing';
import type { WebhookSecret } from '@orders/domain/webhooks';
import { endpointsOfSigningKey, openDatabase, signingKeysInUse } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { decidedEndpoints } from '../fixtures/decided-writes.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

/** Stores an endpoint whose secrets refer to these keys, the current one first. */
async function insert(owner: string, ...secrets: readonly (readonly [key: string, expires_at: string | null])[]) {
  const numbered = secrets.map(([key, expires_at], index): WebhookSecret => ({ serial: 9 - index, key, expires_at }));
  const endpoint = aWebhookEndpoint({ secrets: numbered });
  return (await decidedEndpoints(database.current).insert(owner, endpoint))._unsafeUnwrap().aggregate.id;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('the signing keys in use', () => {
  it('are those of unexpired secrets of all owners, each once', async () => {
    expect((await signingKeysInUse(database.current))._unsafeUnwrap()).toEqual([]);
    await insert('a', ['newest', null]);
    await insert('a', ['newest', null]);
    await insert('b', ['another', null], ['overlapping', inHours(1)]);
    await insert('c', ['newest', null], ['expired', inHours(-1)]);
    expect((await signingKeysInUse(database.current))._unsafeUnwrap()).toEqual(['another', 'newest', 'overlapping']);
  });

  it('are those of endpoints of all owners, of expired secrets too', async () => {
    const newest = await insert('a', ['lost', null]);
    const expired = await insert('d', ['newest', null], ['lost', inHours(-1)]);
    expect((await endpointsOfSigningKey(database.current, 'lost'))._unsafeUnwrap()).toEqual([
      { owner: 'a', id: newest },
      { owner: 'd', id: expired },
    ]);
    expect((await endpointsOfSigningKey(database.current, 'unknown'))._unsafeUnwrap()).toEqual([]);
  });

  it('are unavailable without a database', async () => {
    const unreachable = untilFinished(openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' }));
    for (const result of [signingKeysInUse(unreachable), endpointsOfSigningKey(unreachable, 'lost')])
      expect((await result)._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
  });
});
