import { randomUUID } from 'node:crypto';
import type { Customer, Idempotency } from '@orders/domain';
import { aCustomer, anEventOfCustomer } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { holdKey } from '../fixtures/hold-key.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { type DecidedCustomers, decidedCustomers } from '../fixtures/decided-writes.ts';

const EMAIL = 'ada@example.com';
const database = testDatabase();
let session: Client;
let other: Database;
let third: Database;

beforeEach(async () => {
  session = new Client({ connectionString: database.url, ...FINDS_TABLES });
  await session.connect();
  const open = () => openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
  [other, third] = [open(), open()];
});

afterEach(async () => {
  await session.end();
  await other.close();
  await third.close();
});

function onceOf(key: string): Idempotency {
  return { key, fingerprint: key, now: '2026-01-01T00:00:00.000Z', expires_at: '2100-01-01T00:00:00.000Z' };
}

async function created(owner: string, once?: Idempotency): Promise<Customer> {
  const customer = aCustomer({ email: EMAIL });
  const customers = decidedCustomers(database.current);
  const event = anEventOfCustomer(owner, customer);
  return (await customers.insert(owner, { customer, event }, once))._unsafeUnwrap().customer;
}

function rename(before: Customer, owner: string) {
  const customer = { ...before, name: 'Ada L.', version: before.version + 1 };
  return ok({ customer, event: anEventOfCustomer(owner, customer, { id: randomUUID() }) });
}

const noChange = (customer: Customer) => ok({ customer, event: null });

/** Deletes a customer on the other server. */
function deletion(owner: string, { id }: Customer, once?: Idempotency) {
  const customers = decidedCustomers(other);
  return customers.delete(
    owner,
    id,
    (before) => ok(anEventOfCustomer(owner, before, { type: 'customer.deleted', id: randomUUID() })),
    once,
  );
}

async function waiting(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const blocked = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(await execute(database.url, blocked)).toHaveLength(count);
  });
}

/** Returns the rows with the email of the customer, as texts, from every table with rows of owners. */
async function rowsWithEmail(owner: string): Promise<readonly unknown[]> {
  const rows = ['customers', 'orders', 'changes', 'idempotency'].map(
    (table) => `select '${table}' as table, it::text as row from ${table} as it where owner_id = '${owner}'`,
  );
  return await execute(database.url, `select * from (${rows.join(' union all ')}) as it where row like '%${EMAIL}%'`);
}

/** Returns the versions of the owner's change records, with whether they have a snapshot. */
async function snapshots(owner: string): Promise<readonly unknown[]> {
  return await execute(
    database.url,
    `select version, type, snapshot is not null as kept from changes where owner_id = '${owner}' order by version`,
  );
}

/** Checks that a retry of a write finds no customer, in a process that has not used its key. */
async function expectErased(
  owner: string,
  customer: Customer,
  retry: (customers: DecidedCustomers) => ReturnType<DecidedCustomers['insert' | 'update']>,
): Promise<void> {
  expect(await rowsWithEmail(owner)).toEqual([]);
  const replay = await retry(decidedCustomers(third));
  expect(replay._unsafeUnwrapErr()).toEqual({ type: 'customer_not_found', id: customer.id });
}

describe('the deletion of a customer on another server', () => {
  it('erases every snapshot in the same command, and keeps the events', async () => {
    const owner = randomUUID();
    const customer = await created(owner, onceOf('create'));
    const customers = decidedCustomers(database.current);
    await customers.update(owner, customer.id, (before) => rename(before, owner), onceOf('change'));
    expect(await rowsWithEmail(owner)).toHaveLength(3);
    expect((await deletion(owner, customer, onceOf('delete'))).isOk()).toBe(true);
    expect(await snapshots(owner)).toEqual([
      { version: 1, type: 'customer.created', kept: false },
      { version: 2, type: 'customer.changed', kept: false },
      { version: 3, type: 'customer.deleted', kept: false },
    ]);
    const event = anEventOfCustomer(owner, customer);
    await expectErased(owner, customer, (on) => on.insert(owner, { customer, event }, onceOf('create')));
    await expectErased(owner, customer, (on) =>
      on.update(owner, customer.id, (before) => rename(before, owner), onceOf('change')),
    );
    expect((await deletion(owner, customer, onceOf('delete')))._unsafeUnwrap()).toEqual({
      event: null,
      replayed: true,
    });
  });

  it('overtakes a keyed no-op that waits for its key, whose retries then find no customer', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    await session.query('begin');
    await holdKey(session, owner, 'no-op');
    const customers = decidedCustomers(database.current);
    const unchanged = customers.update(owner, customer.id, noChange, onceOf('no-op'));
    await waiting(1);
    expect((await deletion(owner, customer)).isOk()).toBe(true);
    await session.query('rollback');
    // The no-op read the customer before the deletion, and counts as earlier.
    expect((await unchanged)._unsafeUnwrap()).toMatchObject({ replayed: false, event: null, customer });
    await expectErased(owner, customer, (on) => on.update(owner, customer.id, noChange, onceOf('no-op')));
  });

  it('waits for a keyed change that holds the row, and erases its version too', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    await session.query('begin');
    await holdKey(session, owner, 'change');
    const customers = decidedCustomers(database.current);
    const change = (before: Customer) => rename(before, owner);
    const changed = customers.update(owner, customer.id, change, onceOf('change'));
    await waiting(1);
    const deleting = deletion(owner, customer, onceOf('delete'));
    await waiting(2);
    await session.query('rollback');
    expect((await changed)._unsafeUnwrap()).toMatchObject({ replayed: false, customer: { version: 2 } });
    expect((await deleting)._unsafeUnwrap()).toMatchObject({ event: { version: 3 }, replayed: false });
    expect(await snapshots(owner)).toMatchObject([{ kept: false }, { kept: false }, { version: 3, kept: false }]);
    await expectErased(owner, customer, (on) => on.update(owner, customer.id, change, onceOf('change')));
  });
});
