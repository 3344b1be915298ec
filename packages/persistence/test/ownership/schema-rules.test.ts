import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { schemaBreaches } from './schema-rules.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

describe('the schema', () => {
  it('can be distributed by owner as it is', async () => {
    expect(await schemaBreaches(database.url)).toEqual([]);
  });

  it.each([
    ['create table carts (id uuid)', 'drop table carts', ['carts has no owner_id text not null']],
    ['create table carts (owner_id text)', 'drop table carts', ['carts has no owner_id text not null']],
    ['create table carts (owner_id int not null)', 'drop table carts', ['carts has no owner_id text not null']],
    [
      'create table carts (owner_id text not null, id uuid constraint carts_pkey primary key)',
      'drop table carts',
      ['carts_pkey does not begin with the owner'],
    ],
    [
      'create index orders_note on orders (owner_id, note)',
      'drop index orders_note',
      ['orders_note is an index on text in the order of the database, which an upgrade of the C library can change'],
    ],
    [
      'create index api_keys_owner on api_keys (owner_id)',
      'drop index api_keys_owner',
      ['api_keys_owner is an index on text in the order of the database, which an upgrade of the C library can change'],
    ],
    [
      'create unique index orders_ref on orders (reference collate "C", owner_id)',
      'drop index orders_ref',
      ['orders_ref does not begin with the owner'],
    ],
    [
      'create index orders_lower on orders (lower(owner_id))',
      'drop index orders_lower',
      ['orders_lower does not begin with the owner'],
    ],
    [
      `create unique index orders_id on orders (id, owner_id);
       alter table changes add constraint changes_order foreign key (aggregate_id, owner_id) references orders (id, owner_id)`,
      'alter table changes drop constraint changes_order; drop index orders_id',
      [
        'changes_order is a foreign key that does not begin with the owner on both sides',
        'orders_id does not begin with the owner',
      ],
    ],
    [
      `alter table idempotency add constraint idempotency_order foreign key (owner_id, aggregate_id) references orders (owner_id, id)
       on delete set null`,
      'alter table idempotency drop constraint idempotency_order',
      ['idempotency_order sets null on deletion'],
    ],
    [
      `alter table idempotency add constraint idempotency_order foreign key (owner_id, aggregate_id) references orders (owner_id, id)
       deferrable`,
      'alter table idempotency drop constraint idempotency_order',
      ['idempotency_order is deferrable'],
    ],
    [
      'alter table idempotency add constraint idempotency_one exclude (owner_id with =)',
      'alter table idempotency drop constraint idempotency_one',
      ['idempotency_one is an exclusion constraint'],
    ],
    ['create sequence order_numbers', 'drop sequence order_numbers', ['order_numbers is a sequence']],
    [
      'alter table orders add number int generated always as identity',
      'alter table orders drop number',
      ['orders.number is a value that the database makes', 'orders_number_seq is a sequence'],
    ],
    [
      'alter table orders alter created_at set default now()',
      'alter table orders alter created_at drop default',
      ['orders.created_at is a value that the database makes'],
    ],
    [
      `create function nothing() returns trigger language plpgsql as 'begin return new; end';
       create trigger touch before update on orders for each row execute function nothing()`,
      'drop trigger touch on orders; drop function nothing',
      ['touch is a trigger'],
    ],
    ['create rule never as on delete to orders do instead nothing', 'drop rule never on orders', ['never is a rule']],
    [`create type colour as enum ('red')`, 'drop type colour', ['colour is an enum type']],
    [
      'alter table orders add day date, add at timestamptz, add local timestamp(3)',
      'alter table orders drop day, drop at, drop local',
      [
        'orders.at is a time of another type than timestamptz(3)',
        'orders.day is a time of another type than timestamptz(3)',
        'orders.local is a time of another type than timestamptz(3)',
      ],
    ],
    [
      'alter table orders add constraint orders_check_102021 check (version > 0)',
      'alter table orders drop constraint orders_check_102021',
      ['orders_check_102021 has a name of 50 characters or more, or one that ends like that of a shard'],
    ],
    [
      `alter table orders add constraint ${'o'.repeat(50)} check (version > 0)`,
      `alter table orders drop constraint ${'o'.repeat(50)}`,
      [`${'o'.repeat(50)} has a name of 50 characters or more, or one that ends like that of a shard`],
    ],
  ])('violates the rules with: %s', async (change, remove, breaches) => {
    await execute(database.url, change);
    try {
      expect(await schemaBreaches(database.url)).toEqual(breaches);
    } finally {
      await execute(database.url, remove);
    }
    expect(await schemaBreaches(database.url)).toEqual([]);
  });
});
