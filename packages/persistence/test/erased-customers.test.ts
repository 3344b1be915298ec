import { randomUUID } from 'node:crypto';
import type { Customer, Idempotency } from '@orders/domain';
import { aCustomer, anEventOfCustomer } from '@orders/domain/testing';
import { type Database, openDatabase, postgresCustomerRepository } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';

const EMAIL = 'ada@example.com';
const database = testDatabase();
let session: Client;
let other: Database;

beforeEach(async () => {
  session = new Client({ connectionString: database.url });
  await session.connect();
  other = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
});

afterEach(async () => {
  await session.end();
  await other.close();
});

function onceOf(key: string): Idempotency {
  return { key, fingerprint: key, now: '2026-01-01T00:00:00.000Z', expires_at: '2100-01-01T00:00:00.000Z' };
}

async function created(owner: string, once?: Idempotency): Promise<Customer> {
  const customer = aCustomer({ email: EMAIL });
  const customers = postgresCustomerRepository(database.current);
  const event = anEventOfCustomer(owner, customer);
  return (await customers.insert(owner, { customer, event }, once))._unsafeUnwrap().customer;
}

function rename(before: Customer, owner: string) {
  const customer = { ...before, name: 'Ada L.', version: before.version + 1 };
  return ok({ customer, event: anEventOfCustomer(owner, customer, { id: randomUUID() }) });
}

const noChange = (customer: Customer) => ok({ customer, event: null });

function deletion(owner: string, { id }: Customer, once?: Idempotency) {
  const customers = postgresCustomerRepository(other);
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
  }, 10_000);
}

/** Blocks writes with `key` from recording it until the transaction of the session ends. */
async function holdKey(owner: string, key: string): Promise<void> {
  await session.query('begin');
  await session.query(
    `insert into once values ($1, $2, 'f', gen_random_uuid(), '{}', now(), now() + interval '1 day')`,
    [owner, key],
  );
}

async function recordsWithEmail(owner: string): Promise<readonly unknown[]> {
  return await execute(
    database.url,
    `select key from once where owner_id = '${owner}' and snapshot::text like '%${EMAIL}%'`,
  );
}

describe('the deletion of a customer on another server', () => {
  it('empties the record of a keyed no-op that holds the row and has not committed', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    await holdKey(owner, 'no-op');
    const customers = postgresCustomerRepository(database.current);
    const unchanged = customers.update(owner, customer.id, noChange, onceOf('no-op'));
    await waiting(1);
    const deleting = deletion(owner, customer);
    // Either both wait, or the deletion overtakes the no-op.
    await Promise.race([waiting(2), deleting]);
    await session.query('rollback');
    expect((await deleting).isOk()).toBe(true);
    expect((await unchanged)._unsafeUnwrap()).toMatchObject({ replayed: false, event: null });
    expect(await recordsWithEmail(owner)).toEqual([]);
    const replay = await customers.update(owner, customer.id, noChange, onceOf('no-op'));
    expect(replay._unsafeUnwrapErr()).toEqual({ type: 'customer_not_found', id: customer.id });
  });

  it('makes a keyed no-op fail with customer_not_found when it commits before the no-op is recorded', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    let deleted: Promise<unknown> | undefined;
    // The lock on the table lets reads pass and blocks the record of the no-op.
    await session.query('begin; lock table once in share mode');
    const customers = postgresCustomerRepository(database.current);
    const unchanged = customers.update(
      owner,
      customer.id,
      (before) => {
        deleted ??= session.query(`delete from customers where owner_id = $1 and id = $2`, [owner, before.id]);
        return noChange(before);
      },
      onceOf('late no-op'),
    );
    await waiting(1);
    await deleted;
    await session.query('commit');
    expect((await unchanged)._unsafeUnwrapErr()).toEqual({ type: 'customer_not_found', id: customer.id });
    expect(await recordsWithEmail(owner)).toEqual([]);
  });

  it('empties the record of a keyed change that holds the row and has not committed', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    await holdKey(owner, 'change');
    const customers = postgresCustomerRepository(database.current);
    const changed = customers.update(owner, customer.id, (before) => rename(before, owner), onceOf('change'));
    await waiting(1);
    const deleting = deletion(owner, customer, onceOf('delete'));
    await waiting(2);
    await session.query('rollback');
    expect((await changed)._unsafeUnwrap()).toMatchObject({ replayed: false, customer: { version: 2 } });
    expect((await deleting).isOk()).toBe(true);
    expect(await recordsWithEmail(owner)).toEqual([]);
  });

  it('empties the record of a keyed creation, which a third server then does not replay', async () => {
    const owner = randomUUID();
    const customer = await created(owner, onceOf('create'));
    expect(await recordsWithEmail(owner)).toEqual([{ key: 'create' }]);
    expect((await deletion(owner, customer)).isOk()).toBe(true);
    expect(await recordsWithEmail(owner)).toEqual([]);
    const third = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
    try {
      const event = anEventOfCustomer(owner, customer);
      const replay = await postgresCustomerRepository(third).insert(owner, { customer, event }, onceOf('create'));
      expect(replay._unsafeUnwrapErr()).toEqual({ type: 'customer_not_found', id: customer.id });
    } finally {
      await third.close();
    }
  });
});

describe('a keyed no-op', () => {
  it('is decided again on the newest version when a change commits before it is recorded', async () => {
    const owner = randomUUID();
    const customer = await created(owner);
    const customers = postgresCustomerRepository(database.current);
    const versions: number[] = [];
    await session.query('begin; lock table once in share mode');
    const unchanged = customers.update(
      owner,
      customer.id,
      (before) => {
        versions.push(before.version);
        return noChange(before);
      },
      onceOf('no-op'),
    );
    await waiting(1);
    const changed = await postgresCustomerRepository(other).update(owner, customer.id, (it) => rename(it, owner));
    expect(changed.isOk()).toBe(true);
    await session.query('commit');
    expect((await unchanged)._unsafeUnwrap()).toMatchObject({ replayed: false, customer: { version: 2 } });
    expect(versions).toEqual([1, 2]);
    const replay = await customers.update(owner, customer.id, noChange, onceOf('no-op'));
    expect(replay._unsafeUnwrap()).toMatchObject({ replayed: true, customer: { name: 'Ada L.', version: 2 } });
  });
});
