import { createDomain, isActor, isExternalUserId, isIdempotencyKey, isOwner, ORDERS } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { createWebhooks } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, OWNER, succeeds, UNKNOWN_ID, unreachable } from '../fixtures/a-domain.ts';
import { aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const { orders, customers, webhookEndpoints, webhookDeliveries } = inMemoryStore();
const closedOrders = { orders: unreachable(orders), customers: unreachable(customers) };
const closedEndpoints = { endpoints: unreachable(webhookEndpoints), deliveries: unreachable(webhookDeliveries) };
const { definition, ...domain } = createDomain({ ...closedOrders, clock: fixedClock(), ids: sequentialIds() });
const { definition: ofWebhooks, ...webhooks } = createWebhooks(aWebhooks(closedEndpoints).ports);

type UseCase = (...given: never[]) => unknown;
type Given = readonly unknown[];

/** Calls a use case with any values, as a JavaScript caller can. */
const call = (useCase: UseCase, ...given: Given): unknown => Reflect.apply(useCase, undefined, [...given]);

const NAMES = ['a', ' ~', 'o'.repeat(255)];
const NO_NAMES: readonly unknown[] = ['', 'ü', 'o'.repeat(256), 'a\n', '\u007f', null, 7, {}, ['acme'], Object('acme')];
const USERS = ['a', 'User 7, of 2', 'o'.repeat(255)];
const NO_USERS: readonly unknown[] = [...NO_NAMES, 'ada@example.com', '@', ' a', 'a ', ' '];
const KEYS = ['k', '!~', '"quoted"', 'k'.repeat(255)];
const NO_KEYS: readonly unknown[] = ['', ' ', 'a b', 'k\n', 'é', '\u007f', 'k'.repeat(256), null, 7, {}, ['k']];

describe('a name', () => {
  it('of an owner or actor is 1 to 255 printable ASCII characters', () => {
    for (const isName of [isOwner, isActor]) {
      expect(NAMES.filter(isName)).toEqual(NAMES);
      expect([...NO_NAMES, undefined].filter(isName)).toEqual([]);
    }
  });

  it('of a user is the same without @ and without a space at an end', () => {
    expect(USERS.filter(isExternalUserId)).toEqual(USERS);
    expect([...NO_USERS, undefined].filter(isExternalUserId)).toEqual([]);
  });

  it('of an idempotency key is 1 to 255 visible ASCII characters', () => {
    expect(KEYS.filter(isIdempotencyKey)).toEqual(KEYS);
    expect([...NO_KEYS, undefined].filter(isIdempotencyKey)).toEqual([]);
  });

  it('is described by the error of an invalid one, which omits the value', () => {
    const rule = (name: string, is: string) =>
      new TypeError(`the ${name} must be a string of 1 to 255 ${is} ASCII characters, got a string of 3`);
    expect(() => call(domain.placeOrder, 'é@b', aBody())).toThrow(rule('owner', 'printable'));
    expect(() => call(domain.placeOrder, OWNER, aBody(), { actor: 'é@b' })).toThrow(rule('actor', 'printable'));
    const spaced = { idempotencyKey: 'a b' };
    expect(() => call(domain.placeOrder, OWNER, aBody(), spaced)).toThrow(rule('idempotency key', 'visible'));
    expect(() => call(domain.placeOrder, undefined)).toThrow('got a value of type undefined');
  });
});

describe('every use case', () => {
  it('follows the default definition without another one', () =>
    expect([definition, ofWebhooks]).toEqual([ORDERS, ORDERS]));

  it.each([...Object.entries<UseCase>(domain), ...Object.entries<UseCase>(webhooks)])(
    'throws for an invalid owner before it calls a port: %s',
    (_, useCase) => {
      for (const owner of [...NO_NAMES, undefined])
        expect(() => call(useCase, owner, UNKNOWN_ID, {})).toThrow('the owner must be');
    },
  );

  it('accepts a valid owner', () => {
    const {
      definition: _,
      continueErasures,
      ...useCases
    } = createDomain({
      orders,
      customers,
      clock: fixedClock(),
      ids: sequentialIds(),
    });
    for (const owner of NAMES) {
      for (const useCase of Object.values<UseCase>(useCases))
        expect(() => call(useCase, owner, [UNKNOWN_ID], {})).not.toThrow();
      expect(() => call(continueErasures, owner)).not.toThrow();
    }
  });
});

/** Every write, with its parameters between the owner and the options. No port may be called. */
const CREATIONS: readonly (readonly [string, UseCase, Given])[] = [
  ['placeOrder', domain.placeOrder, [aBody()]],
  ['createCustomer', domain.createCustomer, [{ email: 'ada@example.com' }]],
  ['createEndpoint', webhooks.createEndpoint, [{ url: URL_OF_RECEIVER }]],
];
const CHANGES: typeof CREATIONS = [
  ['changeOrder', domain.changeOrder, [UNKNOWN_ID, {}]],
  ['cancelOrder', domain.cancelOrder, [UNKNOWN_ID, {}]],
  ['deleteOrder', domain.deleteOrder, [UNKNOWN_ID]],
  ['changeCustomer', domain.changeCustomer, [UNKNOWN_ID, {}]],
  ['deleteCustomer', domain.deleteCustomer, [UNKNOWN_ID]],
  ['changeEndpoint', webhooks.changeEndpoint, [UNKNOWN_ID, {}]],
  ['deleteEndpoint', webhooks.deleteEndpoint, [UNKNOWN_ID]],
  ['rotateSecret', webhooks.rotateSecret, [UNKNOWN_ID, {}]],
];

describe.each([...CREATIONS, ...CHANGES])('%s, before it calls a port,', (_, write, given) => {
  const writing = (options: unknown) => (): unknown => call(write, OWNER, ...given, options);

  it('throws a TypeError for an invalid key, actor or user, and for versions that are no array', () => {
    for (const idempotencyKey of NO_KEYS) expect(writing({ idempotencyKey })).toThrow('the idempotency key must be');
    for (const actor of NO_NAMES) expect(writing({ actor })).toThrow('the actor must be');
    for (const externalUserId of NO_USERS) expect(writing({ externalUserId })).toThrow('the external user id must be');
    for (const options of [{ ifVersion: 1 }, { ifVersion: '13' }, { ifVersion: null }, { unlessVersion: 'all' }])
      expect(writing(options)).toThrow(TypeError);
  });

  it('throws a TypeError for an unknown option, also without a value, and for options that are no object', () => {
    for (const options of [{ idempotency_key: 'k' }, { signal: undefined }])
      expect(writing(options)).toThrow(/^unknown option "\w+", expected idempotencyKey, actor, externalUserId/);
    const inherited: unknown = Object.create({ idempotencyKey: 'k' });
    for (const options of [null, 'k', 7, [], new Map([['idempotencyKey', 'k']]), inherited])
      expect(writing(options)).toThrow(new TypeError('options must be an object'));
  });
});

it.each(CREATIONS)('%s expects no version', (_, write, given) => {
  const unexpected = new TypeError('unknown option "ifVersion", expected idempotencyKey, actor, externalUserId');
  expect(() => call(write, OWNER, ...given, { ifVersion: [1] })).toThrow(unexpected);
});

describe('the author of a write', () => {
  it.each([{ actor: 'client:web' }, { externalUserId: 'user_7' }, {}])(
    'is in its event, or null: %j',
    async (author) => {
      const { events, ...acting } = aDomain();
      const { id } = (await succeeds(acting.placeOrder(OWNER, aBody(), author))).order;
      await succeeds(acting.changeOrder(OWNER, id, { note: 'n' }, author));
      await succeeds(acting.cancelOrder(OWNER, id, {}, author));
      await succeeds(acting.deleteOrder(OWNER, id, author));
      const { customer } = await succeeds(acting.createCustomer(OWNER, { email: 'new@example.com' }, author));
      await succeeds(acting.changeCustomer(OWNER, customer.id, { name: 'Ada' }, author));
      await succeeds(acting.deleteCustomer(OWNER, customer.id, author));
      const { actor = null, externalUserId: external_user_id = null } = author;
      expect(events()).toMatchObject(Array.from({ length: 7 }, () => ({ actor, external_user_id })));
    },
  );

  it('is no part of the command, so that a retry by another one is a replay', async () => {
    const retried = aDomain();
    const place = (actor: string, externalUserId: string) =>
      succeeds(retried.placeOrder(OWNER, aBody(), { idempotencyKey: 'k', actor, externalUserId }));
    const { order } = await place('client:web', 'user_7');
    expect(await place('client:app', 'user_8')).toEqual({ order, event: null, replayed: true });
    const first = { actor: 'client:web', external_user_id: 'user_7' };
    expect(await succeeds(retried.getOrderVersion(OWNER, order.id, 1))).toMatchObject(first);
  });
});
