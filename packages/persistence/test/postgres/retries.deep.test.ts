import { randomUUID } from 'node:crypto';
import { anOrder } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { decidedOrders, lastingKey, withNote } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession, holdKey, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

/** Places an order for an owner of its own. */
async function placed() {
  const owner = randomUUID();
  const orders = decidedOrders(database.current);
  const { id } = (await orders.insert(owner, anOrder()))._unsafeUnwrap().aggregate;
  return { owner, id, orders };
}

/** Returns the stored notes of an owner's orders, and the versions of their change records. */
async function storedOf(owner: string): Promise<unknown> {
  const [row] = await execute(
    database.url,
    `select (select json_agg(note) from orders where owner_id = '${owner}') as notes,
       (select json_agg(version order by version) from changes where owner_id = '${owner}') as versions`,
  );
  return row;
}

/** Makes a deadlock of a write and another session, and returns which of them PostgreSQL ended. */
async function deadlocked(): Promise<'the write' | 'the other'> {
  const { owner, id, orders } = await placed();
  const session = await anotherSession(database.url);
  await session.query(`begin; ${holdKey(owner, 'key')}`);
  // The write locks the order's row and waits for the key; this session locks the key and waits for the row.
  const writing = orders.update(owner, id, withNote('at last'), lastingKey('key'));
  await untilWaiting(database.url);
  const waiting = session.query('select 1 from orders where owner_id = $1 and id = $2 for update', [owner, id]);
  const victim = await waiting.then(
    () => 'the write' as const,
    () => 'the other' as const,
  );
  await session.query('rollback');
  expect((await writing)._unsafeUnwrap()).toMatchObject({ replayed: false, aggregate: { version: 2 } });
  expect(await storedOf(owner)).toEqual({ notes: ['at last'], versions: [1, 2] });
  return victim;
}

describe('a write that PostgreSQL ends in favour of another', () => {
  it('is retried after a deadlock', async () => {
    // PostgreSQL ends the session that detects the deadlock first, so that several attempts may be needed.
    for (let count = 0; (await deadlocked()) === 'the other'; count += 1) expect(count).toBeLessThan(9);
  });

  it('is retried after a serialization failure, and unavailable after several', async () => {
    const { owner, id, orders } = await placed();
    // The increment of a sequence is not rolled back with the statement.
    await execute(
      database.url,
      `create sequence attempts;
       create function refuse() returns trigger language plpgsql
         as $$ begin
           if new.note = 'never' or nextval('orders.attempts') = 1 then
             raise exception 'no luck' using errcode = '40001';
           end if;
           return new;
         end $$;
       create trigger refuse before update on orders for each row execute function refuse()`,
    );
    expect((await orders.update(owner, id, withNote('at last'))).isOk()).toBe(true);
    expect(await execute(database.url, 'select last_value from attempts')).toEqual([{ last_value: '2' }]);
    const refused = { type: 'unavailable', cause: { code: '40001' } };
    expect((await orders.update(owner, id, withNote('never')))._unsafeUnwrapErr()).toMatchObject(refused);
    expect(await storedOf(owner)).toEqual({ notes: ['at last'], versions: [1, 2] });
    expect((await orders.update(owner, id, withNote('now'))).isOk()).toBe(true);
  });
});
