import { EVENT_TYPES } from '@orders/domain/events';
import { aCustomer, anEventOfCustomer, faulty, inMemoryStore } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OTHER_OWNER, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const KEY = { idempotencyKey: 'k' };
const LATER = '2026-01-02T03:04:06.678Z';

describe('a new webhook endpoint', () => {
  it('is enabled for every type, at version 1, with its first secret', async () => {
    const webhooks = aWebhooks();
    const written = await succeeds(webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, { actor: 'client:web' }));
    const { endpoint, event } = written;
    expect(endpoint).toEqual({
      id: endpoint.id,
      url: URL_OF_RECEIVER,
      types: null,
      include: [],
      description: null,
      status: 'enabled',
      disabled_reason: null,
      secrets: [{ serial: 1, key: 'key-1', expires_at: null }],
      start: 0,
      version: 1,
      created_at: NOW,
      updated_at: NOW,
    });
    expect(event).toMatchObject({ type: 'webhook_endpoint.created', version: 1, changed: [], actor: 'client:web' });
    expect(written.secret).toBe(`whsec_${OWNER}/${endpoint.id}/1/key-1`);
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id.toUpperCase()))).toEqual(endpoint);
    expect(await feedOf(webhooks)).toEqual([]);
  });

  it('has its members in their canonical form', async () => {
    const endpoint = await anEndpoint(aWebhooks(), {
      url: 'https://receiver.example/a b',
      types: ['webhook_endpoint.disabled', 'order.paid', 'order.paid'],
      include: ['resource'],
      description: 'Shop 🎁',
    });
    expect(endpoint).toMatchObject({
      url: 'https://receiver.example/a%20b',
      types: ['order.paid', 'webhook_endpoint.disabled'],
      include: ['resource'],
      description: 'Shop 🎁',
    });
  });

  it('starts at the end of the feed, and is not created while that is unknown', async () => {
    const webhooks = aWebhooks();
    for (let count = 0; count < 3; count += 1) {
      const after = aCustomer();
      const event = anEventOfCustomer(OWNER, after);
      await succeeds(webhooks.store.customers.commit(OWNER, { kind: 'create', after, event, key: undefined }));
    }
    expect((await anEndpoint(webhooks)).start).toBe(3);
    const unread = aWebhooks(faulty({ feed: inMemoryStore().feed }, { 'feed.read': 'unavailable' }));
    expect((await fails(unread.createEndpoint(OWNER, { url: URL_OF_RECEIVER }))).type).toBe('unavailable');
    expect((await succeeds(unread.listEndpoints(OWNER))).data).toEqual([]);
  });

  it.each([
    [{}, 'url: required'],
    [{ url: null }, 'url: required'],
    [{ url: 7 }, 'url: wrong_type'],
    [{ url: '' }, 'url: too_short'],
    [{ url: `https://${'a'.repeat(2041)}` }, 'url: too_long'],
    [{ url: `https://${' '.repeat(2000)}` }, 'url: too_long (must have at most 2048 characters once it is encoded)'],
    [{ url: 'http://receiver.example' }, 'url: invalid_value (must be an https URL)'],
    [{ url: 'https://a\0' }, 'url: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: [] }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: ['order.lost'] }, 'types[0]: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: ['order.paid', 'order.lost'] }, 'types[1]: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: 'order.paid' }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: { length: 1 } }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, include: ['secrets'] }, 'include[0]: invalid_value'],
    [{ url: URL_OF_RECEIVER, include: ['resource', 'resource'] }, 'include: invalid_value'],
    [{ url: URL_OF_RECEIVER, include: 7 }, 'include: invalid_value'],
    [{ url: URL_OF_RECEIVER, description: '' }, 'description: too_short'],
    [{ url: URL_OF_RECEIVER, description: 'd'.repeat(256) }, 'description: too_long'],
    [{ url: URL_OF_RECEIVER, description: {} }, 'description: wrong_type'],
    [{ url: URL_OF_RECEIVER, status: 'disabled' }, 'status: read_only'],
    [{ url: URL_OF_RECEIVER, id: UNKNOWN_ID }, 'id: read_only'],
    [{ url: URL_OF_RECEIVER, secrets: [] }, 'secrets: unknown_field'],
    [{ url: URL_OF_RECEIVER, start: 0 }, 'start: unknown_field'],
    [[], ': wrong_type'],
    [
      { url: 'ftp://a', types: [], include: [1], description: 5, color: 'red' },
      [
        'color: unknown_field',
        'url: invalid_value',
        'types: invalid_value',
        'include[0]: invalid_value',
        'description: wrong_type',
      ],
    ],
  ])('is rejected for %j', async (input, fields) => {
    const webhooks = aWebhooks();
    expect(await fails(webhooks.createEndpoint(OWNER, input))).toMatchObject(invalidFields(...[fields].flat()));
    expect((await succeeds(webhooks.listEndpoints(OWNER))).data).toEqual([]);
  });

  it('is created once for retries with a key, where null and an absent member mean the same', async () => {
    const webhooks = aWebhooks({ idempotencyTtlMs: 1000 });
    const create = (input: object) => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER, ...input }, KEY);
    const first = await succeeds(create({}));
    webhooks.clock.advance(999);
    expect(await succeeds(create({ types: null, include: [] }))).toEqual({ ...first, event: null, replayed: true });
    expect(await fails(create({ types: ['order.paid'] }))).toEqual({ type: 'idempotency_key_reused' });
    webhooks.clock.advance(1);
    expect((await succeeds(create({}))).replayed).toBe(false);
  });

  it('is replayed without a read of the feed', async () => {
    const { feed, unreached } = faulty({ feed: inMemoryStore().feed }, { 'feed.read': [null, 'unavailable'] });
    const webhooks = aWebhooks({ feed });
    const create = (url: string) => webhooks.createEndpoint(OWNER, { url }, KEY);
    const first = await succeeds(create(URL_OF_RECEIVER));
    expect(await succeeds(create(URL_OF_RECEIVER))).toEqual({ ...first, event: null, replayed: true });
    expect(await fails(create('https://another.example'))).toEqual({ type: 'idempotency_key_reused' });
    expect(unreached()).toEqual(['feed.read']);
  });
});

describe('a change of a webhook endpoint', () => {
  it.each([
    ['url', 'https://other.example/'],
    ['types', ['order.placed']],
    ['types', EVENT_TYPES],
    ['types', null],
    ['include', null, []],
    ['description', 'Shop'],
    ['description', null],
  ])('sets %s to %j and changes no other field', async (field, value, stored: unknown = value) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks, { types: ['order.paid'], include: ['resource'], description: 'd' });
    webhooks.clock.advance(1000);
    const changed = await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, { [field]: value }));
    expect(changed.endpoint).toEqual({ ...endpoint, [field]: stored, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'webhook_endpoint.changed', version: 2, changed: [field] });
    expect(await feedOf(webhooks)).toEqual([]);
    webhooks.clock.advance(-60_000);
    const again = await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, { url: 'https://third.example/' }));
    expect(again.endpoint.updated_at).toBe(LATER);
  });

  it.each([
    [{}],
    [{ url: URL_OF_RECEIVER, types: ['order.paid', 'order.placed'], description: undefined }],
    [{ status: 'enabled', include: null }],
  ])('keeps the version and records no event for %j', async (patch) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks, { types: ['order.placed', 'order.paid'] });
    const unchanged = { endpoint, event: null, replayed: false };
    expect(await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, patch))).toEqual(unchanged);
  });

  it.each([
    [{ url: null }, 'url: required'],
    [{ url: 'http://a' }, 'url: invalid_value'],
    [{ types: [] }, 'types: invalid_value'],
    [{ include: ['all'] }, 'include[0]: invalid_value'],
    [{ description: '' }, 'description: too_short'],
    [{ status: null }, 'status: required (is required)'],
    [{ status: 'paused' }, 'status: invalid_value (must be one of enabled, disabled)'],
    [{ disabled_reason: 'gone' }, 'disabled_reason: read_only'],
    [{ version: 2 }, 'version: read_only'],
    [{ created_at: NOW }, 'created_at: read_only'],
    [{ updated_at: NOW }, 'updated_at: read_only'],
    [{ start: 0 }, 'start: unknown_field'],
    ['url', ': wrong_type'],
  ])('is rejected for %j', async (patch, field) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    expect(await fails(webhooks.changeEndpoint(OWNER, endpoint.id, patch))).toMatchObject(invalidFields(field));
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
  });
});

describe('a webhook endpoint', () => {
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
  });
});
