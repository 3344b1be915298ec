import type { EventFeed, EventType, FeedEvent } from '@orders/domain/events';
import { consume, EVENT_TYPES, eventTypesOf, followEvents, followPages, readEvents } from '@orders/domain/events';
import { createWebhooks, untypedWebhooks, type Webhooks } from '@orders/domain/webhooks';
import { inMemoryStore } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { aBakery, BAKERY } from '../fixtures/a-bakery.ts';
import { aWebhooks } from '../fixtures/a-webhooks.ts';

const OWNER = 'bakery';
const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];
const TYPES: readonly EventType<typeof BAKERY>[] = ['order.baking'];

/** Returns a bakery with an order that is baking. */
async function baking() {
  const bakery = aBakery();
  const { order } = (await bakery.domain.placeOrder(OWNER, { items }))._unsafeUnwrap();
  await bakery.domain.changeOrder(OWNER, order.id, { status: 'baking' });
  return bakery.store;
}

/** Returns the use cases of webhooks for the events of a bakery. */
function ofBakery() {
  const { webhookEndpoints: endpoints, webhookDeliveries: deliveries, feed } = aBakery().store;
  const { secrets, sender, targets, clock, ids } = aWebhooks().ports;
  return createWebhooks({ endpoints, deliveries, feed, secrets, sender, targets, clock, ids }, BAKERY);
}

const url = 'https://receiver.example/events';

describe('the events of a definition', () => {
  it('are read by their types', async () => {
    const { feed } = await baking();
    const page = (await readEvents(feed, OWNER, { types: ['order.baking'] }))._unsafeUnwrap();
    expect(page.data.map(({ type }) => type)).toEqual(['order.baking']);
    expectTypeOf(page.data).toEqualTypeOf<readonly FeedEvent<typeof BAKERY>[]>();
    const unknown = (await readEvents(feed, OWNER, { types: ['order.paid'] }))._unsafeUnwrapErr();
    const known = eventTypesOf(BAKERY);
    const message = `must be 1 to ${known.length} of ${known.join(', ')}`;
    expect(unknown).toMatchObject({ errors: [{ field: 'types', message }] });
  });

  it('are followed by their types', async () => {
    const { feed } = await baking();
    const options = { types: TYPES };
    for await (const page of followPages(feed, OWNER, options)) {
      expect(page.data.map(({ type }) => type)).toEqual(['order.baking']);
      break;
    }
    for await (const event of followEvents(feed, OWNER, options)) {
      expectTypeOf(event).toEqualTypeOf<FeedEvent<typeof BAKERY>>();
      expect(event.type).toBe('order.baking');
      break;
    }
  });

  it('are consumed by their types', async () => {
    const { feed, checkpoints } = await baking();
    const abort = new AbortController();
    const seen: string[] = [];
    const handle = ({ type }: FeedEvent<typeof BAKERY>) => {
      seen.push(type);
      abort.abort();
    };
    const options = { owner: OWNER, types: TYPES, signal: abort.signal };
    await consume({ feed, checkpoints, name: 'oven', handler: handle, ...options });
    expect(seen).toEqual(['order.baking']);
  });

  it('are those of the default definition where the feed states none', async () => {
    const { feed, checkpoints } = inMemoryStore();
    const plain: EventFeed = { ...feed, definition: undefined };
    const consumer = { feed: plain, checkpoints, owner: OWNER, name: 'oven', handler: () => undefined };
    // @ts-expect-error -- not a type of its definition
    expect(() => followPages(plain, OWNER, { types: TYPES })).toThrow(`of ${EVENT_TYPES.join(', ')}`);
    // @ts-expect-error -- not a type of its definition
    expect(() => followEvents(plain, OWNER, { types: TYPES })).toThrow('types must be');
    // @ts-expect-error -- not a type of its definition
    await expect(consume({ ...consumer, types: TYPES })).rejects.toThrow('types must be');
    // @ts-expect-error -- it is that of the feed
    await expect(consume({ ...consumer, definition: BAKERY })).rejects.toThrow('unknown option "definition"');
    expect((await readEvents(plain, OWNER, { types: TYPES })).isErr()).toBe(true);
  });
});

describe('webhooks of a definition', () => {
  it('accept the types of its events, in their order, when an endpoint is created and changed', async () => {
    const webhooks = ofBakery();
    const { endpoint } = (
      await webhooks.createEndpoint(OWNER, { url, types: ['customer.created', 'order.ready', 'order.baking'] })
    )._unsafeUnwrap();
    expect(endpoint.types).toEqual(['order.baking', 'order.ready', 'customer.created']);
    expectTypeOf(endpoint.types).toEqualTypeOf<readonly EventType<typeof BAKERY>[] | null>();
    const changed = await webhooks.changeEndpoint(OWNER, endpoint.id, { types: ['order.collected'] });
    expect(changed._unsafeUnwrap().endpoint.types).toEqual(['order.collected']);
  });

  it('reject those of another definition, and name the known ones', async () => {
    const webhooks = untypedWebhooks(ofBakery());
    const { endpoint } = (await webhooks.createEndpoint(OWNER, { url }))._unsafeUnwrap();
    const error = {
      type: 'validation_failed',
      errors: [
        {
          field: 'types[1]',
          code: 'invalid_value',
          message: `must be one of ${eventTypesOf(BAKERY).join(', ')}`,
        },
      ],
    };
    const types = ['order.baking', 'order.paid'];
    expect((await webhooks.createEndpoint(OWNER, { url, types }))._unsafeUnwrapErr()).toEqual(error);
    expect((await webhooks.changeEndpoint(OWNER, endpoint.id, { types }))._unsafeUnwrapErr()).toEqual(error);
    const byDefault = await aWebhooks().createEndpoint(OWNER, { url, types });
    expect(byDefault._unsafeUnwrapErr()).toMatchObject({ errors: [{ field: 'types[0]' }] });
  });

  it('do not compile with types or as webhooks of others', () => {
    const wrong: readonly (() => unknown)[] = [
      // @ts-expect-error -- a type of the default definition
      () => ofBakery().createEndpoint(OWNER, { url, types: ['order.paid'] }),
      // @ts-expect-error -- another definition
      (): Webhooks => ofBakery(),
    ];
    expect(wrong).toHaveLength(2);
  });
});
