import type { MikroORM } from '@mikro-orm/postgresql';
import type { PlaceOrderError } from '@orders/domain';
import { openDatabase, type TransactionFailed } from '@orders/persistence';
import { err, ok, type Result } from 'neverthrow';
import { Pool } from 'pg';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { hostOrm, PickUp } from './host-tables.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { ITEM } from './a-host.ts';

const tested = testDatabase();

const withOrm = () => untilFinished(openDatabase({ url: tested.url, orm: hostOrm(tested.url) }));

async function countPickUps(em: MikroORM['em']): Promise<Result<number, never>> {
  return ok(await em.count(PickUp));
}

type Program = () => unknown;

/** Programs that do not compile. Without types they run, and are rejected then. */
const WRONG: readonly (readonly [name: string, program: Program])[] = [
  // @ts-expect-error -- an address is required
  ['a database without an address', () => openDatabase({})],
  // @ts-expect-error -- a pool is one of pg
  ['a pool without members', () => openDatabase({ pool: {} })],
  // @ts-expect-error -- without a result it is unknown whether to commit
  ['work that returns nothing', () => tested.current.transaction(async () => Promise.resolve())],
  // @ts-expect-error -- a boolean is no result
  ['work that returns a boolean', () => tested.current.transaction(() => Promise.resolve(false))],
  [
    'a pool as the transaction to join',
    () => {
      const pool = new Pool({ connectionString: tested.url });
      // @ts-expect-error -- a transaction is one of a single client
      return tested.current.joinTransaction(pool);
    },
  ],
  // @ts-expect-error -- a transaction is one of an EntityManager
  ['a MikroORM as the transaction to join', () => tested.current.joinTransaction(hostOrm(tested.url))],
  [
    'an EntityManager of a database without a MikroORM',
    // @ts-expect-error -- without the option `orm` it is unknown
    () => tested.current.transaction(({ em }) => countPickUps(em)),
  ],
  [
    'an entity of the host without a required member',
    () =>
      withOrm().transaction(({ em }) => {
        // @ts-expect-error -- a pick-up has a time and a shelf
        em.create(PickUp, { order_id: '019b0000-dddd-7000-8000-000000000000' });
        return Promise.resolve(ok('done'));
      }),
  ],
  [
    'a statement that is a number',
    // @ts-expect-error -- a statement is text
    () => tested.current.transaction(({ client }) => client.query(42).then(() => ok('done'))),
  ],
];

describe('typed transactions', () => {
  it.each(WRONG)('reject %s at run time too', async (_, program) => {
    await expect((async () => await program())()).rejects.toThrow(Error);
  });

  it('pass the EntityManager of the type that the host has', async () => {
    const result = await withOrm().transaction(({ em }) => {
      expectTypeOf(em).toEqualTypeOf<MikroORM['em']>();
      return Promise.resolve(ok(em.getContext()));
    });
    expect(result.isOk()).toBe(true);
  });

  it('pass an unknown EntityManager without a MikroORM of the host', async () => {
    const result = await tested.current.transaction(({ em }) => {
      expectTypeOf(em).toBeUnknown();
      return Promise.resolve(ok(em));
    });
    expect(result).toEqual(ok(undefined));
  });

  it('return the values and errors of the work, and TransactionFailed', async () => {
    const result = await tested.current.transaction(async ({ domain }) => {
      const placed = await domain.placeOrder('typed', { items: [ITEM] });
      if (placed.isErr()) return err(placed.error);
      return placed.value.order.note === 'x' ? err({ type: 'no_shelf' as const }) : ok(placed.value.order.id);
    });
    expectTypeOf(result).toEqualTypeOf<Result<string, PlaceOrderError | { type: 'no_shelf' } | TransactionFailed>>();
    expect(result.isOk()).toBe(true);
  });
});
