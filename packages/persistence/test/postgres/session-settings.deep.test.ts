import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDomain } from '@orders/domain/runtime';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const ITEM = { sku: 'MUG-330', name: 'Becher ☕', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } };

/** Opens a database with a role whose default is `setting`, until the test ends. */
async function openWith(setting: string): Promise<Database> {
  const name = new URL(database.url).pathname.slice(1);
  const role = `role current_user in database ${name}`;
  await execute(withoutTimeLimits(), `alter ${role} set ${setting}`);
  const opened = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
  onTestFinished(async () => {
    await opened.close();
    await execute(withoutTimeLimits(), `begin read write; alter ${role} reset all; commit`);
  });
  return opened;
}

/** A connection that the time limits of the role do not interrupt. */
function withoutTimeLimits(): string {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0');
  return url.href;
}

async function settingOf({ orm }: Database, name: string): Promise<unknown> {
  const [row] = await (
    await orm.load()
  ).mikroOrm.em
    .fork()
    .execute<{ value: unknown }[]>(`select current_setting('${name}') as value`);
  return row?.value;
}

describe('the default of a role', () => {
  it.each([
    `datestyle = 'German, DMY'`,
    `timezone = 'America/St_Johns'`,
    `bytea_output = 'escape'`,
    `extra_float_digits = -15`,
    `standard_conforming_strings = off`,
    `client_encoding = 'LATIN1'`,
    `default_transaction_isolation = 'serializable'`,
    `statement_timeout = '1ms'`,
    `lock_timeout = '1ms'`,
    `idle_in_transaction_session_timeout = '1ms'`,
    `plan_cache_mode = 'force_generic_plan'`,
  ])('%s changes no write, read, list or replay', async (setting) => {
    const opened = await openWith(setting);
    const orders = postgresOrderRepository(opened);
    const domain = createDomain({ orders, customers: postgresCustomerRepository(opened) });
    const owner = randomUUID();
    const customer = (await domain.createCustomer(owner, { email: 'ada@example.com', name: 'Åda ☕' }))._unsafeUnwrap();
    const input = { items: [ITEM], customer_id: customer.customer.id, note: "a\\b 'c' ☕" };
    const place = () => domain.placeOrder(owner, input, { idempotencyKey: 'key' });
    const { order } = (await place())._unsafeUnwrap();
    expect((await domain.getOrder(owner, order.id))._unsafeUnwrap()).toEqual(order);
    expect((await domain.listOrders(owner, {}))._unsafeUnwrap().data).toEqual([order]);
    expect((await domain.listCustomers(owner, {}))._unsafeUnwrap().data).toEqual([customer.customer]);
    expect((await place())._unsafeUnwrap()).toMatchObject({ order, replayed: true });
    const cancelled = (await domain.cancelOrder(owner, order.id, { reason: 'no' }))._unsafeUnwrap().order;
    expect((await domain.getOrder(owner, order.id))._unsafeUnwrap()).toEqual(cancelled);
  });

  it('that limits time does not limit a migration', async () => {
    const opened = await openWith(`statement_timeout = '1ms'`);
    await execute(
      withoutTimeLimits(),
      `alter role current_user in database ${new URL(database.url).pathname.slice(1)}
      set idle_in_transaction_session_timeout = '1ms'`,
    );
    const migrated = opened.withoutTimeLimits(async ({ primary }) => {
      await primary.transaction(async (transaction) => {
        await transaction.run('select pg_sleep(0.05)');
        await sleep(50);
        await transaction.run('select 1');
      });
    });
    await expect(migrated).resolves.toBeUndefined();
  });

  it('that makes transactions read-only is respected, because operators stop writes with it', async () => {
    const opened = await openWith('default_transaction_read_only = on');
    expect(await settingOf(opened, 'transaction_read_only')).toBe('on');
  });
});

describe('a session', () => {
  it('has the default time limits', async () => {
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const values = await Promise.all(limits.map((name) => settingOf(database.current, name)));
    expect(values).toEqual(['10s', '1500ms', '5s']);
  });
});

describe('the options of the URL', () => {
  it('do not replace the settings that statements depend on', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', `-c datestyle=German -c default_transaction_isolation=serializable -c jit=off`);
    const opened = untilFinished(openDatabase({ url: url.href }));
    expect(await settingOf(opened, 'datestyle')).toMatch(/^ISO/);
    expect(await settingOf(opened, 'transaction_isolation')).toBe('read committed');
    expect(await settingOf(opened, 'jit')).toBe('off');
  });
});
