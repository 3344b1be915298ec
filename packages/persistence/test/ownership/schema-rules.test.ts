import { expect, it } from 'vitest';
import { anotherSession } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { SCHEMA_BREACHES } from './schema-rules.ts';

const database = testDatabase();

/** Changes of the schema, each with the violation of a rule that it is. */
const VIOLATIONS: readonly (readonly [breach: string, change: string])[] = [
  ['carts has no owner_id text not null', 'create table carts (owner_id text)'],
  [
    'carts_pkey does not begin with the owner',
    'create table carts (owner_id text not null, id uuid constraint carts_pkey primary key)',
  ],
  [
    'api_keys_owner is an index on text in the order of the database, which an upgrade of the C library can change',
    'create index api_keys_owner on api_keys (owner_id)',
  ],
  [
    'orders_lower does not begin with the owner',
    'create index orders_lower on orders (lower(owner_id collate "C") collate "C")',
  ],
  [
    'changes_order is a foreign key that does not begin with the owner on both sides',
    `create unique index orders_id on orders (id, owner_id);
     alter table changes add constraint changes_order foreign key (aggregate_id, owner_id) references orders (id, owner_id)`,
  ],
  [
    'idempotency_order sets null on deletion',
    `alter table idempotency add constraint idempotency_order foreign key (owner_id, aggregate_id)
     references orders (owner_id, id) on delete set null`,
  ],
  [
    'idempotency_order is deferrable',
    `alter table idempotency add constraint idempotency_order foreign key (owner_id, aggregate_id)
     references orders (owner_id, id) deferrable`,
  ],
  [
    'idempotency_one is an exclusion constraint',
    'alter table idempotency add constraint idempotency_one exclude (owner_id with =)',
  ],
  ['order_numbers is a sequence', 'create sequence order_numbers'],
  [
    'orders.number is a value that the database makes',
    'alter table orders add number int generated always as identity',
  ],
  [
    'touch is a trigger',
    `create function nothing() returns trigger language plpgsql as 'begin return new; end';
     create trigger touch before update on orders for each row execute function nothing()`,
  ],
  ['never is a rule', 'create rule never as on delete to orders do instead nothing'],
  ['colour is an enum type', `create type colour as enum ('red')`],
  ['orders.local is a time of another type than timestamptz(3)', 'alter table orders add local timestamp(3)'],
  [
    'orders_check_102021 has a name of 50 characters or more, or one that ends like that of a shard',
    'alter table orders add constraint orders_check_102021 check (version > 0)',
  ],
];

it('the schema can be distributed by owner as it is, and each violation of a rule is found', async () => {
  const session = await anotherSession(database.url);
  const breaches = async () =>
    (await session.query<{ breach: string }>(SCHEMA_BREACHES)).rows.map(({ breach }) => breach);
  expect(await breaches()).toEqual([]);
  for (const [breach, change] of VIOLATIONS) {
    await session.query(`begin; ${change}`);
    expect(await breaches()).toContain(breach);
    await session.query('rollback');
  }
});
