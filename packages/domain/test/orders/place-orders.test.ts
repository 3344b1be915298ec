import { createDomain, defineOrders, type OrderDefinition, parseOrderBatch, partsOf, untyped } from '@orders/domain';
import { faulty, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aDomainTogether, aLine, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

const WHO = { actor: 'key', externalUserId: 'user_7' };
const BATCH = [
  { order: aBody({ reference: 'PO-1' }), idempotencyKey: 'a' },
  { order: aBody({ reference: 'PO-1' }), idempotencyKey: 'b' },
  { order: aBody({ items: [] }), idempotencyKey: 'c' },
  { order: aBody({ note: 'x' }), idempotencyKey: 'd' },
];

describe('placing orders together', () => {
  it('has the result of placing each alone, also when it is repeated', async () => {
    const [together, alone] = [aDomain(), aDomain()];
    for (const replayed of [false, true]) {
      const results = await succeeds(together.placeOrders(OWNER, BATCH, WHO));
      for (const [index, { order, idempotencyKey }] of BATCH.entries()) {
        const result = await alone.placeOrder(OWNER, order, { idempotencyKey, ...WHO });
        const differing = { id: '', order_id: '', items: [] };
        const [got, expected] = [results[index], result].map((each) =>
          each?.match(
            ({ order: placed, replayed: again }) => ({ ...placed, ...differing, again }),
            (error) => ({ ...error, ...differing }),
          ),
        );
        expect(got).toEqual(expected);
      }
      expect(results.map((each) => each.isOk() && each.value.replayed)).toEqual([replayed, false, false, replayed]);
      const author = { actor: 'key', external_user_id: 'user_7' };
      expect(together.events()).toMatchObject([author, author]);
    }
  });

  it.each(['all', 'none', 'unavailable'] as const)(
    'has the result of each, if the store returns %s',
    async (areStored) => {
      const domain = aDomainTogether(areStored);
      const results = await succeeds(domain.placeOrders(OWNER, BATCH.slice(1)));
      expect(results.map((each) => each.isOk())).toEqual([true, false, true]);
      expect(domain.events()).toHaveLength(2);
    },
  );

  it('tries no further order once the store was unavailable', async () => {
    const ports = { ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() };
    const { orders, ...others } = faulty(ports, {
      'orders.commitAll': ['unavailable'],
      'orders.commit': ['unavailable'],
    });
    const domain = untyped(createDomain({ orders, ...others }));
    const results = await succeeds(domain.placeOrders(OWNER, BATCH));
    const types = results.map((each) => each.isErr() && each.error.type);
    expect(types).toEqual(['unavailable', 'unavailable', 'validation_failed', 'unavailable']);
    expect(ports.events()).toEqual([]);
  });

  it('fails alone where it throws, as it does when it is imported: in a parser, a guard, or a store', async () => {
    const raise = () => {
      throw new Error('a bug');
    };
    const [lifecycle, roles] = [{ open: [] as const }, { initial: 'open', cancel: 'open' } as const];
    const definition: OrderDefinition = defineOrders({
      lifecycle,
      ...roles,
      custom: { schema: {}, parse: (input: unknown) => (input === 'thrown' ? raise() : ok(input)) },
      guards: { place: (_, { note }) => (note === 'thrown' ? raise() : null) },
    });
    const store = inMemoryStore({ definition });
    const commit: typeof store.orders.commit = (owner, write) =>
      write.kind === 'create' && write.after.note === 'lost' ? raise() : store.orders.commit(owner, write);
    const orders = { ...store.orders, commit, commitAll: raise };
    const domain = untyped(createDomain({ ...store, orders, clock: fixedClock(), ids: sequentialIds() }, definition));
    const inputs = [{ note: 'a' }, { custom: 'thrown' }, { note: 'thrown' }, { note: 'lost' }, { note: 'b' }].map(
      aBody,
    );
    const imports = inputs.map((input, index) => ({ ...input, reference: `PO-${index}` }));
    for (const results of [
      await succeeds(
        domain.placeOrders(
          OWNER,
          inputs.map((order) => ({ order })),
        ),
      ),
      await succeeds(domain.importOrders(OWNER, imports)),
    ]) {
      const failed = { type: 'internal_error', cause: new Error('a bug') };
      const outcomes = results.map((each) =>
        each.match(
          ({ order }) => order.note,
          (error) => error,
        ),
      );
      expect(outcomes).toEqual(['a', failed, failed, failed, 'b']);
    }
  });

  it('has at most 100', () => {
    expect(() => aDomain().placeOrders(OWNER, Array(101).fill({ order: aBody() }))).toThrow(RangeError);
  });
});

const ofKey = (idempotency_key: unknown, order: unknown = {}) => ({ idempotency_key, order });
const ofItems = (count: number) => ({ items: Array(count).fill(aLine()) });

/** An order of which a member has more than a third of the bytes that a batch may have. */
const ofBytes = (name: string) => ({ [name]: { text: 'é'.repeat(2 ** 16 / 1.5) } });

/** Batches, and their invalid fields. */
const INVALID: readonly (readonly [object | null, ...string[]])[] = [
  [null, ': wrong_type'],
  [{ orders: [] }, 'orders: too_short'],
  [{ orders: Array(101).fill(ofKey('a')) }, 'orders: too_long'],
  [{ orders: [7, { idempotency_key: 'a' }] }, 'orders[0]: wrong_type', 'orders[1].order: required'],
  [
    { orders: [ofKey('a', []), ofKey(undefined)] },
    'orders[0].order: wrong_type',
    'orders[1].idempotency_key: required',
  ],
  [
    { orders: [ofKey('a b'), ofKey(7)] },
    'orders[0].idempotency_key: invalid_format',
    'orders[1].idempotency_key: invalid_format',
  ],
  [{ orders: [ofKey('a'), ofKey('a')] }, 'orders[1].idempotency_key: invalid_value'],
  [{ orders: [ofKey('a')], import: 'yes' }, 'import: wrong_type'],
  [{ orders: [ofKey('a')], import: true }, 'orders[0].idempotency_key: unknown_field'],
  [{ orders: [ofKey('a')], as_history: true }, 'as_history: invalid_value'],
  [{ orders: [ofKey('a', ofItems(999)), ofKey('b', { adjustments: [1, 2] })] }, 'orders: too_long'],
  [
    { import: true, orders: [{ order: { ...ofItems(999), fulfillments: [{ items: [1, 2] }, 7] } }] },
    'orders: too_long',
  ],
  [
    { import: true, orders: ['note', 'metadata', 'custom'].map((name) => ({ order: ofBytes(name) })) },
    'orders: too_long',
  ],
];

describe('a batch', () => {
  it('of new orders has a key for each, and an import none', () => {
    expect(parseOrderBatch({ orders: [ofKey('a', { x: 1 })] })).toMatchObject({
      value: { imports: false, orders: [{ idempotencyKey: 'a', order: { x: 1 } }] },
    });
    expect(parseOrderBatch({ import: true, as_history: true, orders: [{ order: { x: 1 } }] })).toMatchObject({
      value: { imports: true, asHistory: true, orders: [{ x: 1 }] },
    });
  });

  it('is stored in parts, each no longer than the largest new order, or one order', () => {
    const partsOfOrders = (...items: readonly number[]) => {
      const orders = items.map((count, index) => ofKey(`k${index}`, ofItems(count)));
      return partsOf(parseOrderBatch({ orders })._unsafeUnwrap()).map((part) => part.orders.length);
    };
    expect(partsOfOrders(...Array<number>(100).fill(9))).toEqual([20, 20, 20, 20, 20]);
    expect(partsOfOrders(1, 400, 400, 1, 0)).toEqual([1, 1, 1, 2]);
    const custom = { text: 'x'.repeat(5000) };
    const orders = Array.from({ length: 7 }, (_, index) => ofKey(`k${index}`, { custom }));
    expect(partsOf(parseOrderBatch({ orders })._unsafeUnwrap()).map((part) => part.orders.length)).toEqual([3, 3, 1]);
    const history = partsOf(
      parseOrderBatch({ import: true, as_history: true, orders: [{ order: {} }] })._unsafeUnwrap(),
    );
    expect(history).toEqual([{ imports: true, asHistory: true, orders: [{}] }]);
  });

  it.each(INVALID.map((row) => [row]))('is invalid: %j', ([input, ...fields]) => {
    expect(parseOrderBatch(input)._unsafeUnwrapErr()).toMatchObject(invalidFields(...fields));
    expect(parseOrderBatch({ orders: [ofKey('a', ofItems(1000))] }).isOk()).toBe(true);
  });
});
