import type { Order } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { holdKey } from '../fixtures/hold-key.ts';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

const OWNER = 'owner';
const database = testDatabase();
let session: Client;

beforeEach(async () => {
  session = new Client({ connectionString: database.url, ...FINDS_TABLES });
  await session.connect();
});

afterEach(async () => {
  await session.end();
});

async function placed(): Promise<Order> {
  const order = anOrder();
  const orders = decidedOrders(database.current);
  return (await orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }))._unsafeUnwrap().order;
}

function withNote(note: string) {
  return (before: Order) => {
    const order = { ...before, note, version: before.version + 1 };
    return ok({ order, event: anEventOf(OWNER, order) });
  };
}

async function blocked(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(await execute(database.url, waiting)).toHaveLength(1);
  });
}

/** Returns the order as it is stored, and the versions of its events. */
async function notesOf(id: string): Promise<readonly unknown[]> {
  const events = await recordedEvents(database.current, OWNER);
  return [
    await execute(database.url, `select note, version from orders where id = '${id}'`),
    events.filter(({ aggregate_id }) => aggregate_id === id).map(({ version }) => version),
  ];
}

/** Makes a deadlock of a write and another session, and returns which of them PostgreSQL ended. */
async function deadlocked(key: string): Promise<'the write' | 'the other'> {
  const { id } = await placed();
  const once = { key, fingerprint: 'f', now: '2026-01-01T00:00:00.000Z', expires_at: '2100-01-01T00:00:00.000Z' };
  await session.query('begin');
  await holdKey(session, OWNER, key);
  // The write locks the order's row and waits for the key; this session locks the key and waits for the row.
  const writing = decidedOrders(database.current).update(OWNER, id, withNote('at last'), once);
  await blocked();
  const waiting = session.query('select 1 from orders where owner_id = $1 and id = $2 for update', [OWNER, id]);
  const victim = await waiting.then(
    () => 'the write' as const,
    () => 'the other' as const,
  );
  await session.query('rollback');
  expect((await writing)._unsafeUnwrap()).toMatchObject({ replayed: false, order: { note: 'at last', version: 2 } });
  expect(await notesOf(id)).toEqual([[{ note: 'at last', version: 2 }], [1, 2]]);
  return victim;
}

describe('a write that PostgreSQL ends in favour of another', () => {
  it('is retried after a deadlock', async () => {
    // PostgreSQL ends the session that detects the deadlock first, so that several attempts may be needed.
    for (let count = 0; (await deadlocked(`deadlock ${count}`)) === 'the other'; count += 1)
      expect(count).toBeLessThan(9);
  });

  it('is retried after a serialization failure', async () => {
    const { id } = await placed();
    // The increment of a sequence is not rolled back with the statement.
    await execute(
      database.url,
      `create sequence attempts;
       create function refuse_once() returns trigger language plpgsql
         as $$ begin
           if nextval('orders.attempts') = 1 then raise exception 'no luck' using errcode = '40001'; end if;
           return new;
         end $$;
       create trigger refuse_once before update on orders
         for each row when (new.note = 'at last') execute function refuse_once()`,
    );
    const orders = decidedOrders(database.current);
    expect((await orders.update(OWNER, id, withNote('at last')))._unsafeUnwrap().order).toMatchObject({ version: 2 });
    expect(await execute(database.url, 'select last_value from attempts')).toEqual([{ last_value: '2' }]);
    await execute(database.url, 'drop trigger refuse_once on orders');
    expect(await notesOf(id)).toEqual([[{ note: 'at last', version: 2 }], [1, 2]]);
  });

  it('is unavailable after several failures', async () => {
    const { id } = await placed();
    await execute(
      database.url,
      `create function refuse() returns trigger language plpgsql
         as $$ begin raise exception 'no luck' using errcode = '40001'; end $$;
       create trigger refuse before update on orders for each row when (new.note = 'never') execute function refuse()`,
    );
    const orders = decidedOrders(database.current);
    const refused = { type: 'unavailable', cause: { code: '40001' } };
    expect((await orders.update(OWNER, id, withNote('never')))._unsafeUnwrapErr()).toMatchObject(refused);
    expect(await notesOf(id)).toEqual([[{ note: null, version: 1 }], [1]]);
    expect((await orders.update(OWNER, id, withNote('now'))).isOk()).toBe(true);
  });
});
