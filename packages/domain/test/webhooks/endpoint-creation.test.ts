import { aCustomer, anEventOfCustomer, faulty, inMemoryStore } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

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
      const after = aCustomer();
      const event = anEventOfCustomer(OWNER, after);
      await succeeds(webhooks.store.customers.commit(OWNER, { kind: 'create', after, event, key: undefined }));
    }
    expect((await anEndpoint(webhooks)).start).toBe(3);
  });

  it('is not created while the end of the feed is unknown', async () => {
    const webhooks = aWebhooks(faulty({ feed: inMemoryStore().feed }, { 'feed.read': 'unavailable' }));
    const error = await fails(webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }));
    expect(error.type).toBe('unavailable');
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
