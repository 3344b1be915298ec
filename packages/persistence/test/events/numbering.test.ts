import { describe, expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { idOf, insertChanges } from '../fixtures/change-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { anotherSession, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { givenPositions, insertMany, positions, storedFeed, upTo } from '../fixtures/feed-rows.ts';

const database = testDatabase();
const numberChanges = (owner: string) => newNumbering(database.current).run(owner);

describe('numbering', () => {
  it('gives positions by time, kind, id and version, and none to a version that is no event', async () => {
    const [one, two] = ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'];
    await insertChanges(database.url, 'sorted', [
      { id: idOf(1), version: 2, at: two },
      { id: idOf(2), version: 1, at: one },
      { id: idOf(1), version: 1, at: one },
      { aggregate: 'customer', id: idOf(2), version: 1, at: one },
      { id: idOf(3), version: 1, at: one },
    ]);
    await execute(
      database.url,
      `update changes set event_id = null, type = null where owner_id = 'sorted' and aggregate_id = '${idOf(3)}'`,
    );
    await insertChanges(database.url, 'another', [{ id: idOf(1), version: 1, at: one }]);
    expect(await numberChanges('sorted')).toBe(true);
    expect(await positions(database.url, 'sorted')).toEqual([
      'customer 2 v1: 1',
      'order 1 v1: 2',
      'order 2 v1: 3',
      'order 1 v2: 4',
      'order 3 v1: -',
    ]);
    expect(await positions(database.url, 'another')).toEqual(['order 1 v1: -']);
  });

  it('leaves no hole for a change that was rolled back, and numbers one that is committed late', async () => {
    const session = await anotherSession(database.url);
    const insert = (id: number) =>
      session.query(`insert into changes values ('open', 'order', '${idOf(id)}', 1, gen_random_uuid(), 'order.placed',
        '[]', '2026-01-01', null, null, 1)`);
    await session.query('begin');
    await insert(1);
    await insertMany(database.url, 'open', 2, '2026-01-02');
    await numberChanges('open');
    await session.query('rollback; begin');
    await insert(2);
    await numberChanges('open');
    expect(await givenPositions(database.url, 'open')).toEqual([1, 2]);
    await session.query('commit');
    await numberChanges('open');
    expect((await positions(database.url, 'open'))[2]).toBe('order 2 v1: 3');
  });

  it('gives positions to five batches of a thousand, and reports that more are left', async () => {
    await insertMany(database.url, 'backlog', 5001, '2026-01-01');
    expect(await numberChanges('backlog')).toBe(false);
    expect((await storedFeed(database.url, 'backlog'))?.position).toBe(5000);
    expect(await numberChanges('backlog')).toBe(true);
    expect(await givenPositions(database.url, 'backlog')).toEqual(upTo(5001));
    expect(await storedFeed(database.url, 'backlog')).toEqual({ position: 5001, purged: 0, purged_id: null });
  });

  it('gives positions to whole batches of changes with one time, in their order', async () => {
    const id = `lpad(to_hex(2000 - n), 32, '0')::uuid`;
    await execute(
      database.url,
      `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
       select 'one-time', 'order', ${id}, 1, gen_random_uuid(), 'order.placed', '[]', '2026-01-01', 1
       from generate_series(1, 1500) as n`,
    );
    expect(await numberChanges('one-time')).toBe(true);
    const misplaced = await execute(
      database.url,
      `select from (select position, row_number() over (order by aggregate_id) as place from changes where owner_id = 'one-time') as c
       where position <> place`,
    );
    expect(misplaced).toEqual([]);
  });

  it('leaves out what another transaction has locked, and later versions of it, until that ends', async () => {
    const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
    await insertChanges(database.url, 'held', [
      { id: idOf(1), version: 1, at: at(1) },
      { id: idOf(2), version: 1, at: at(2) },
      { id: idOf(1), version: 2, at: at(3) },
      { id: idOf(1), version: 3, at: at(3) },
      { id: idOf(2), version: 2, at: at(4) },
    ]);
    const session = await anotherSession(database.url);
    await session.query(
      `begin; select from changes where owner_id = 'held' and aggregate_id = '${idOf(1)}' and version = 2 for update`,
    );
    const numbering = newNumbering(database.current);
    expect(await numbering.run('held')).toBe(true);
    expect(await positions(database.url, 'held')).toEqual([
      'order 1 v1: 1',
      'order 2 v1: 2',
      'order 2 v2: 3',
      'order 1 v2: -',
      'order 1 v3: -',
    ]);
    await session.query('commit');
    expect(await numbering.run('held')).toBe(true);
    expect((await positions(database.url, 'held')).slice(3)).toEqual(['order 1 v2: 4', 'order 1 v3: 5']);
  });

  it('goes on behind more locked changes than a batch has', async () => {
    await insertMany(database.url, 'many-held', 1500, '2026-01-01');
    const session = await anotherSession(database.url);
    await session.query(`begin; select from changes where owner_id = 'many-held' for update`);
    await insertMany(database.url, 'many-held', 1200, '2026-01-02');
    expect(await numberChanges('many-held')).toBe(true);
    expect(await givenPositions(database.url, 'many-held')).toEqual(upTo(1200));
    await session.query('commit');
    expect(await numberChanges('many-held')).toBe(true);
    expect(await givenPositions(database.url, 'many-held')).toEqual(upTo(2700));
  });

  it('takes two runs at most for many requests, the last of which sees what was committed before it', async () => {
    const session = await anotherSession(database.url);
    await insertMany(database.url, 'busy', 1, '2026-01-01');
    const numbering = newNumbering(database.current);
    await numbering.run('busy');
    await session.query(`begin; select 1 from feeds where owner_id = 'busy' for update`);
    const first = numbering.run('busy');
    await untilWaiting(database.url);
    await insertMany(database.url, 'busy', 1, '2026-01-02');
    const later = Array.from({ length: 50 }, () => numbering.run('busy'));
    expect(new Set(later).size).toBe(1);
    expect(later).not.toContain(first);
    await session.query('commit');
    expect(await Promise.all([first, ...later])).toEqual(Array.from({ length: 51 }, () => true));
    expect(await givenPositions(database.url, 'busy')).toEqual([1, 2]);
  });

  it('begins at once after a pause, and shares one run among all requests of a pause', async () => {
    await insertMany(database.url, 'paced', 1, '2026-01-01');
    const numbering = newNumbering(database.current);
    await numbering.run('paced');
    const ended = performance.now();
    await insertMany(database.url, 'paced', 1, '2026-01-02');
    const first = numbering.run('paced');
    await first;
    const later = Array.from({ length: 5 }, () => numbering.run('paced'));
    expect(new Set(later).size).toBe(1);
    expect(later).not.toContain(first);
    expect(await Promise.all(later)).toEqual([true, true, true, true, true]);
    // A timer may end a millisecond early.
    expect(performance.now() - ended).toBeGreaterThanOrEqual(9);
    expect(await givenPositions(database.url, 'paced')).toEqual([1, 2]);
  });
});
