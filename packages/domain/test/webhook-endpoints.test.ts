import { EVENT_TYPES } from '@orders/domain/events';
import { createWebhooks, disableEndpoint } from '@orders/domain/webhooks';
import { aCustomer, anEventOfCustomer } from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OTHER_OWNER, OWNER, succeeds, UNKNOWN_ID } from './a-domain.ts';
import { anEndpoint, aWebhooks, feedOf, URL_OF_RECEIVER } from './a-webhooks.ts';

const LATER = '2026-01-02T03:04:06.678Z';
const KEY = { idempotencyKey: 'k' };

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

  it('starts at the end of the feed', async () => {
    const webhooks = aWebhooks();
    for (let count = 0; count < 3; count += 1) {
      const customer = aCustomer();
      await succeeds(webhooks.store.customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }));
    }
    expect((await anEndpoint(webhooks)).start).toBe(3);
  });

  it('is not created while the end of the feed is unknown', async () => {
    const cause = new Error('events have no position yet');
    const { store } = aWebhooks();
    const read = () => errAsync({ type: 'unavailable', cause } as const);
    const webhooks = aWebhooks({ feed: { ...store.feed, read } });
    const error = await fails(webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }));
    expect(error).toEqual({ type: 'unavailable', cause });
    expect((await succeeds(webhooks.listEndpoints(OWNER))).data).toEqual([]);
  });

  it.each([
    [{}, 'url: required'],
    [{ url: null }, 'url: required'],
    [{ url: 7 }, 'url: wrong_type'],
    [{ url: '' }, 'url: too_short'],
    [{ url: `https://${'a'.repeat(2041)}` }, 'url: too_long'],
    [{ url: `https://${' '.repeat(2000)}` }, 'url: too_long'],
    [{ url: 'http://receiver.example' }, 'url: invalid_value'],
    [{ url: 'https://a\0' }, 'url: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: [] }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: ['order.paid', 'order.lost'] }, 'types[1]: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: 'order.paid' }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, types: { length: 1 } }, 'types: invalid_value'],
    [{ url: URL_OF_RECEIVER, include: ['secrets'] }, 'include[0]: invalid_value'],
    [{ url: URL_OF_RECEIVER, include: 7 }, 'include: invalid_value'],
    [{ url: URL_OF_RECEIVER, description: '' }, 'description: too_short'],
    [{ url: URL_OF_RECEIVER, description: 'd'.repeat(256) }, 'description: too_long'],
    [{ url: URL_OF_RECEIVER, description: {} }, 'description: wrong_type'],
    [{ url: URL_OF_RECEIVER, status: 'disabled' }, 'status: read_only'],
    [{ url: URL_OF_RECEIVER, id: UNKNOWN_ID }, 'id: read_only'],
    [{ url: URL_OF_RECEIVER, secrets: [] }, 'secrets: unknown_field'],
    [{ url: URL_OF_RECEIVER, start: 0 }, 'start: unknown_field'],
    [[], ': wrong_type'],
  ])('is rejected for %j', async (input, field) => {
    const webhooks = aWebhooks();
    expect(await fails(webhooks.createEndpoint(OWNER, input))).toMatchObject(invalidFields(field));
    expect((await succeeds(webhooks.listEndpoints(OWNER))).data).toEqual([]);
  });

  it('is rejected with all invalid fields together, and the reason for the URL', async () => {
    const input = { url: 'ftp://a', types: [], include: [1], description: 5, color: 'red' };
    const error = await fails(aWebhooks().createEndpoint(OWNER, input));
    expect(error).toMatchObject(
      invalidFields(
        'color: unknown_field',
        'url: invalid_value',
        'types: invalid_value',
        'include[0]: invalid_value',
        'description: wrong_type',
      ),
    );
    expect(error).toHaveProperty('errors.1.message', 'must be an https URL');
  });

  it('is one of at most ten', async () => {
    const webhooks = aWebhooks();
    for (let count = 0; count < 10; count += 1) await anEndpoint(webhooks);
    const create = () => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER });
    expect(await fails(create())).toEqual({ type: 'too_many_endpoints' });
    const { data } = await succeeds(webhooks.listEndpoints(OWNER, { limit: 100 }));
    expect(data).toHaveLength(10);
    await succeeds(webhooks.deleteEndpoint(OWNER, data[4]?.id ?? ''));
    await succeeds(create());
  });

  it('is created once for retries with a key, where null and an absent member mean the same', async () => {
    const webhooks = aWebhooks();
    const create = (input: object) => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER, ...input }, KEY);
    const first = await succeeds(create({}));
    expect(await succeeds(create({ types: null, include: [] }))).toEqual({ ...first, event: null, replayed: true });
    expect(await fails(create({ types: ['order.paid'] }))).toEqual({ type: 'idempotency_key_reused' });
  });
});

describe('a change of a webhook endpoint', () => {
  it.each([
    ['url', 'https://other.example/'],
    ['types', ['order.paid']],
    ['include', ['resource']],
    ['description', 'Shop'],
  ])('sets %s to %j and changes no other field', async (field, value) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    webhooks.clock.advance(1000);
    const changed = await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, { [field]: value }));
    expect(changed.endpoint).toEqual({ ...endpoint, [field]: value, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'webhook_endpoint.changed', version: 2, changed: [field] });
    expect(await feedOf(webhooks)).toEqual([]);
  });

  it('removes types, additions and description by null', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks, { types: ['order.paid'], include: ['resource'], description: 'd' });
    const patch = { types: null, include: null, description: null };
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, patch));
    expect(endpoint).toMatchObject({ types: null, include: [], description: null, version: 2 });
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

  it('distinguishes every type from a list of all known ones', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, { types: EVENT_TYPES }));
    expect(endpoint).toMatchObject({ types: EVENT_TYPES, version: 2 });
  });

  it('never lets updated_at run backwards', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    webhooks.clock.advance(-60_000);
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, { description: 'd' }));
    expect(endpoint.updated_at).toBe(NOW);
  });

  it.each([
    [{ url: null }, 'url: required'],
    [{ url: 'http://a' }, 'url: invalid_value'],
    [{ types: [] }, 'types: invalid_value'],
    [{ include: ['all'] }, 'include[0]: invalid_value'],
    [{ description: '' }, 'description: too_short'],
    [{ status: null }, 'status: required'],
    [{ status: 'paused' }, 'status: invalid_value'],
    [{ disabled_reason: 'gone' }, 'disabled_reason: read_only'],
    [{ version: 2 }, 'version: read_only'],
    [{ start: 0 }, 'start: unknown_field'],
    ['url', ': wrong_type'],
  ])('is rejected for %j', async (patch, field) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    expect(await fails(webhooks.changeEndpoint(OWNER, endpoint.id, patch))).toMatchObject(invalidFields(field));
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
  });
});

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
    const { ports } = aWebhooks();
    const cause = new Error('the store is away');
    const update = () => errAsync({ type: 'unavailable', cause } as const);
    const endpoints = { ...ports.endpoints, update };
    const error = await fails(disableEndpoint({ ...ports, endpoints }, OWNER, { id: UNKNOWN_ID, url: 'u' }, 'gone'));
    expect(error).toEqual({ type: 'unavailable', cause });
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

describe('the use cases of webhooks', () => {
  it.each(['endpoints', 'deliveries', 'feed', 'secrets', 'sender', 'targets', 'clock', 'ids'])(
    'are not created without the port %s',
    (name) => {
      const { ports } = aWebhooks();
      const missing = `createWebhooks: the port "${name}" is missing`;
      expect(() => createWebhooks({ ...ports, [name]: undefined })).toThrow(new TypeError(missing));
    },
  );

  const { ports } = aWebhooks();
  it.each(Object.entries({ ...createWebhooks(ports) }))(
    'throw for an invalid owner: %s',
    (_, useCase: (...given: never[]) => unknown) => {
      for (const owner of ['', 'ü', 'o'.repeat(256), undefined, null, 7])
        expect((): unknown => Reflect.apply(useCase, undefined, [owner, UNKNOWN_ID, {}])).toThrow(TypeError);
    },
  );

  it('throw a TypeError for an invalid actor, before a port is called', () => {
    const { ports: all } = aWebhooks();
    const closed = new Proxy(all.endpoints, { get: () => expect.fail('a port was called') });
    const webhooks = aWebhooks({ endpoints: closed });
    const options = { actor: 'zoë' };
    expect(() => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, options)).toThrow(TypeError);
    expect(() => webhooks.changeEndpoint(OWNER, UNKNOWN_ID, {}, options)).toThrow(TypeError);
    expect(() => webhooks.deleteEndpoint(OWNER, UNKNOWN_ID, options)).toThrow(TypeError);
    expect(() => webhooks.rotateSecret(OWNER, UNKNOWN_ID, {}, options)).toThrow(TypeError);
  });
});
