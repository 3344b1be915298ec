import { createDomain, isIdempotencyKey } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { createWebhooks } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { aBody, OWNER, UNKNOWN_ID, unreachable } from '../fixtures/a-domain.ts';
import { aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const KEYS = ['k', '!~', '"quoted"', 'k'.repeat(255)];
const NO_KEYS = ['', ' ', 'a b', 'k\n', 'é', '\u007f', 'k'.repeat(256), null, 7, {}, ['k']];

it('an idempotency key is 1 to 255 visible ASCII characters', () => {
  expect(KEYS.filter(isIdempotencyKey)).toEqual(KEYS);
  expect([...NO_KEYS, undefined].filter(isIdempotencyKey)).toEqual([]);
});

const { orders, customers, webhookEndpoints } = inMemoryStore();
const ports = { orders: unreachable(orders), customers: unreachable(customers) };
const domain = createDomain({ ...ports, clock: fixedClock(), ids: sequentialIds() });
const webhooks = createWebhooks(aWebhooks({ endpoints: unreachable(webhookEndpoints) }).ports);

type Write = (...given: never[]) => unknown;

/** Every write, with its parameters between the owner and the options. No port may be called. */
const CREATIONS: readonly (readonly [string, Write, readonly unknown[]])[] = [
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
  const call = (options: unknown): unknown => Reflect.apply(write, undefined, [OWNER, ...given, options]);

  it('throws a TypeError for an invalid idempotency key', () => {
    for (const idempotencyKey of NO_KEYS) expect(() => call({ idempotencyKey })).toThrow(TypeError);
  });

  it('throws a TypeError for an unknown option, also without a value', () => {
    for (const options of [{ idempotency_key: 'k' }, { signal: undefined }])
      expect(() => call(options)).toThrow(/^unknown option "\w+", expected idempotencyKey, actor/);
  });

  it('throws a TypeError for options that are no object', () => {
    const inherited: unknown = Object.create({ idempotencyKey: 'k' });
    for (const options of [null, 'k', 7, [], new Map([['idempotencyKey', 'k']]), inherited])
      expect(() => call(options)).toThrow(new TypeError('options must be an object'));
  });

  it('throws a TypeError for versions that are no array', () => {
    for (const options of [{ ifVersion: 1 }, { ifVersion: '13' }, { ifVersion: null }, { unlessVersion: 'all' }])
      expect(() => call(options)).toThrow(TypeError);
  });
});

it.each(CREATIONS)('%s expects no version', (_, write, given) => {
  const options = { ifVersion: [1] };
  expect((): unknown => Reflect.apply(write, undefined, [OWNER, ...given, options])).toThrow(
    new TypeError('unknown option "ifVersion", expected idempotencyKey, actor'),
  );
});

it('the error of an invalid idempotency key omits the value', () => {
  const rule = 'the idempotency key must be a string of 1 to 255 visible ASCII characters, got ';
  expect(() => domain.placeOrder(OWNER, { items: [] }, { idempotencyKey: 'a b' })).toThrow(
    new TypeError(`${rule}a string of 3`),
  );
});
