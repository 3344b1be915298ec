import { anEventOfEndpoint, aWebhookEndpoint } from '@orders/domain/testing';
import type { WebhookSecret } from '@orders/domain/webhooks';
import { endpointsOfSigningKey, openDatabase, signingKeysInUse } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedEndpoints } from '../fixtures/decided-writes.ts';

const database = testDatabase();

async function insert(owner: string, ...secrets: readonly WebhookSecret[]): Promise<string> {
  const endpoint = aWebhookEndpoint({ secrets });
  const event = anEventOfEndpoint(owner, endpoint);
  (await decidedEndpoints(database.current).insert(owner, { endpoint, event }))._unsafeUnwrap();
  return endpoint.id;
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const HOUR_MS = 3_600_000;

describe('the signing keys in use', () => {
  it('are those of unexpired secrets of all owners, each once', async () => {
    expect((await signingKeysInUse(database.current))._unsafeUnwrap()).toEqual([]);
    await insert('a', { serial: 1, key: 'newest', expires_at: null });
    await insert('a', { serial: 1, key: 'newest', expires_at: null });
    await insert(
      'b',
      { serial: 2, key: 'another', expires_at: null },
      { serial: 1, key: 'overlapping', expires_at: inMs(HOUR_MS) },
    );
    await insert(
      'c',
      { serial: 2, key: 'newest', expires_at: null },
      { serial: 1, key: 'expired', expires_at: inMs(-HOUR_MS) },
    );
    expect((await signingKeysInUse(database.current))._unsafeUnwrap()).toEqual(['another', 'newest', 'overlapping']);
  });

  it('are those of endpoints of all owners, of expired secrets too', async () => {
    const newest = await insert('a', { serial: 1, key: 'lost', expires_at: null });
    const expired = await insert(
      'd',
      { serial: 2, key: 'newest', expires_at: null },
      { serial: 1, key: 'lost', expires_at: inMs(-HOUR_MS) },
    );
    expect((await endpointsOfSigningKey(database.current, 'lost'))._unsafeUnwrap()).toEqual([
      { owner: 'a', id: newest },
      { owner: 'd', id: expired },
    ]);
    expect((await endpointsOfSigningKey(database.current, 'unknown'))._unsafeUnwrap()).toEqual([]);
  });

  it('are unavailable without a database', async () => {
    const unreachable = openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' });
    expect((await signingKeysInUse(unreachable))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
    expect((await endpointsOfSigningKey(unreachable, 'lost'))._unsafeUnwrapErr()).toMatchObject({
      type: 'unavailable',
    });
    await unreachable.close();
  });
});
