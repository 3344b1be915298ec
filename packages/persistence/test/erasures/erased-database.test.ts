import { openDatabase, postgresStore } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { COLUMNS, isKept } from '../../src/tables/personal-data.ts';
import type { OrderDefinition, UntypedDomain } from '@orders/domain';
import { BAKERY, EARLIER_BAKERY, serverOf } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { bakeryOn, columnsWithMarker, MARKER, type Shop, storePerson } from './personal-shop.ts';
import { placesOf } from './places-of.ts';
import { untilErased } from './until-erased.ts';

type Erasing = Pick<UntypedDomain, 'eraseCustomer' | 'erasePerson'>;

const database = testDatabase();
const open = () => untilFinished(openDatabase({ url: database.url, definition: BAKERY, poolMax: 4 }));

describe('the list of personal data', () => {
  it('has every column of every table, and no other', async () => {
    const rows = await execute<{ place: string }>(
      database.url,
      `select table_name || '.' || column_name as place from information_schema.columns
        where table_schema = 'orders' and table_name <> 'schema_migrations'`,
    );
    const listed = Object.entries(COLUMNS).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    expect(rows.map(({ place }) => place).toSorted()).toEqual(listed.toSorted());
  });
});

/** The texts that programs make, or that are one of several: a column with another name has free texts. */
const MADE =
  'action actor aggregate author changed currency definition digest disabled_reason erasure event filter fingerprint identity include key_hash kind last_error owner owner_id prefix progress quantities role scopes secrets signs_in status status_times token_hash type types';

it('a column with free texts is erased, or stays by decision', async () => {
  const rows = await execute<{ table_name: string; column_name: string }>(
    database.url,
    `select table_name, column_name from information_schema.columns
      where table_schema = 'orders' and table_name <> 'schema_migrations' and data_type in ('text', 'json', 'jsonb')`,
  );
  const kept = rows.filter(({ table_name, column_name }) => COLUMNS[table_name]?.[column_name] === 'kept');
  expect([...new Set(kept.map(({ column_name }) => column_name))].toSorted().join(' ')).toBe(MADE);
});

describe('an erased person', () => {
  it.each([
    ['', BAKERY, ({ eraseCustomer }: Erasing, { owner, customerId }: Shop) => eraseCustomer(owner, customerId)],
    [
      ' when the definition has changed',
      EARLIER_BAKERY,
      ({ eraseCustomer }: Erasing, { owner, customerId }: Shop) => eraseCustomer(owner, customerId),
    ],
    [' by email', BAKERY, ({ erasePerson }: Erasing, { owner, email }: Shop) => erasePerson(owner, { email })],
  ])('is nowhere in the database, nor in what is read of it%s', async (_, definition, erase) => {
    const opened = open();
    const shop = await storePerson(opened);
    const { owner, orders, deleted } = shop;
    // The email of an erasure leaves when it is done.
    const { erasures: _erasures, ...tables } = COLUMNS;
    const personal = Object.entries(tables).flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([column, erased]) => (isKept(erased) ? [] : [`${table}.${column}`])),
    );
    // The marker is in every column that an erasure changes, and in no other.
    expect(await columnsWithMarker(database.url, owner)).toEqual(personal.toSorted());
    // Samples of the values are kept for plans.
    await execute(database.url, 'analyze');
    const places = async () => (await execute(database.url, placesOf(MARKER))).map(({ place }) => place);
    expect(await places()).toEqual([
      'changes',
      'customers',
      'order_comments',
      'order_lookups',
      'orders',
      'owner_audit',
    ]);
    const store = postgresStore(opened);
    (await erase(serverOf<OrderDefinition>(database.url, definition).untyped, shop))._unsafeUnwrap();
    expect(await places()).toEqual([]);
    const domain = bakeryOn(store);
    // Deliveries that wait are sent with what is left.
    const read = [
      await store.webhookQueue.claim(owner, 100),
      await store.feed.read(owner, { after: null, start: 'oldest', limit: 100, types: null, include: ['resource'] }),
      ...(await Promise.all([...orders, deleted].map((id) => domain.listOrderVersions(owner, id, { limit: 100 })))),
    ];
    const text = JSON.stringify(read);
    expect(text).not.toContain(MARKER);
    expect(text).toContain('order.erased');
    for (const id of orders) expect((await domain.getOrder(owner, id)).isOk()).toBe(true);
  });

  it('is erased with many orders in the background, by batches, and no other owner with it', async () => {
    const opened = open();
    const domain = bakeryOn(postgresStore(opened));
    const [one, other] = [await storePerson(opened), await storePerson(opened)];
    // So many versions of an order that a batch ends within them.
    for (let version = 0; version < 205; version += 1)
      (await domain.changeOrder(one.owner, one.orders[0], { metadata: { version: `${version}` } }))._unsafeUnwrap();
    const { customer } = (await domain.eraseCustomer(one.owner, one.customerId))._unsafeUnwrap();
    expect(customer.erasure).toEqual({ status: 'pending' });
    await untilErased(database.url, opened, domain);
    expect((await domain.getCustomer(one.owner, one.customerId))._unsafeUnwrap().erasure).toEqual({ status: 'done' });
    expect(await columnsWithMarker(database.url, one.owner)).toEqual([]);
    expect(await columnsWithMarker(database.url, other.owner)).not.toEqual([]);
  });
});
