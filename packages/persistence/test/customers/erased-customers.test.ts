import { randomUUID } from 'node:crypto';
import type { Customer } from '@orders/domain';
import { aCustomer } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { describe, expect, inject, it } from 'vitest';
import { type DecidedCustomers, decidedCustomers, lastingKey, withName } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, holdKey, untilFinished, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const EMAIL = 'ada@example.com';
const database = testDatabase();

/** Returns the customers of a further server, which has used no key. */
function anotherServer(): DecidedCustomers {
  const preparedStatements = inject('preparedStatements');
  return decidedCustomers(untilFinished(openDatabase({ url: database.url, preparedStatements })));
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
  { id }: Customer,
  retry: (customers: DecidedCustomers) => ReturnType<DecidedCustomers['insert' | 'update']>,
): Promise<void> {
  expect(await rowsWithEmail(owner)).toEqual([]);
  expect((await retry(anotherServer()))._unsafeUnwrapErr()).toEqual({ type: 'customer_not_found', id });
}

describe('the deletion of a customer on another server', () => {
  it('erases every snapshot in the same command, and keeps the events', async () => {
    const owner = randomUUID();
    const customers = decidedCustomers(database.current);
    const customer = aCustomer({ email: EMAIL });
    const create = (on: DecidedCustomers) => on.insert(owner, customer, lastingKey('create'));
    const change = (on: DecidedCustomers) => on.update(owner, customer.id, withName('Ada L.'), lastingKey('change'));
    (await create(customers))._unsafeUnwrap();
    (await change(customers))._unsafeUnwrap();
    expect(await rowsWithEmail(owner)).toHaveLength(3);
    const deletion = () => anotherServer().delete(owner, customer.id, lastingKey('delete'));
    expect((await deletion()).isOk()).toBe(true);
    expect(await snapshots(owner)).toEqual([
      { version: 1, type: 'customer.created', kept: false },
      { version: 2, type: 'customer.changed', kept: false },
      { version: 3, type: 'customer.deleted', kept: false },
    ]);
    await expectErased(owner, customer, create);
    await expectErased(owner, customer, change);
    expect((await deletion())._unsafeUnwrap()).toEqual({ event: null, replayed: true });
  });

  it('waits for a keyed change that holds the row, and erases its version too', async () => {
    const owner = randomUUID();
    const customers = decidedCustomers(database.current);
    const customer = aCustomer({ email: EMAIL });
    (await customers.insert(owner, customer))._unsafeUnwrap();
    const release = await holding(database.url, holdKey(owner, 'change'));
    const change = (on: DecidedCustomers) => on.update(owner, customer.id, withName('Ada L.'), lastingKey('change'));
    const changed = change(customers);
    await untilWaiting(database.url, 1);
    const deleting = anotherServer().delete(owner, customer.id);
    await untilWaiting(database.url, 2);
    await release();
    expect((await changed)._unsafeUnwrap()).toMatchObject({ replayed: false, aggregate: { version: 2 } });
    expect((await deleting)._unsafeUnwrap()).toMatchObject({ event: { version: 3 }, replayed: false });
    expect(await snapshots(owner)).toMatchObject([{ kept: false }, { kept: false }, { version: 3, kept: false }]);
    await expectErased(owner, customer, change);
  });
});
