import type { EventFeed } from '@orders/domain/events';
import { postgresEventFeed, postgresWebhookQueue } from '@orders/persistence';
import type { PostgresProxy, Statement } from '@orders/postgres-proxy';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { costOf, costOfCall } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';
import { sent } from '../fixtures/watched-server.ts';

const database = testDatabase();

const BACKLOG = 200_000;

/** Maximum number of changes that a statement reads for an owner with twenty. */
const READ_MAX = 100;

const QUIET = ['quiet 1', 'quiet 2', 'quiet 3'];
const [OWNER = ''] = QUIET;

/** Returns the statements that a quiet owner's reads, waits and webhooks need. */
async function statementsOf(owner: string): Promise<readonly Statement[]> {
  const statements = await sent(database.url, async (server, proxy) => {
    const feed = postgresEventFeed(server);
    const queue = postgresWebhookQueue(server);
    const { next } = (await readPage(feed, owner))._unsafeUnwrap();
    (await readPage(feed, owner, { after: next }))._unsafeUnwrap();
    (await readPage(feed, owner, { start: 'latest' }))._unsafeUnwrap();
    (await readPage(feed, owner, { types: ['order.cancelled'] }))._unsafeUnwrap();
    await waitUntilChecked(feed, owner, next.position, proxy);
    (await queue.findDue(10, null))._unsafeUnwrap();
    (await queue.fanOut(owner))._unsafeUnwrap();
    (await queue.claim(owner, 10))._unsafeUnwrap();
  });
  const texts = new Map(statements.map((statement) => [statement.text, statement]));
  return [...texts.values()].filter(({ text }) => /^\s*select /.test(text));
}

/** Waits for events until the reader has been checked. */
async function waitUntilChecked(feed: EventFeed, owner: string, position: number, proxy: PostgresProxy): Promise<void> {
  const stop = new AbortController();
  const waiting = feed.wait(owner, position, { timeoutMs: 24 * 60 * 60 * 1000, signal: stop.signal });
  await vi.waitFor(() => expect(proxy.statements.map(({ text }) => text).join()).toContain('select w.place'));
  stop.abort();
  await waiting;
}

let statements: readonly Statement[];

beforeAll(async () => {
  await execute(database.url, 'alter table changes set (autovacuum_enabled = false)');
  for (const [index, owner] of QUIET.entries()) {
    await insertMany(database.url, owner, 20, '2026-01-01');
    await insertEndpoint(database.url, owner, endpointId(index + 1));
  }
  statements = await statementsOf(OWNER);
  await insertMany(database.url, 'with a backlog', BACKLOG, '2026-01-01');
  await execute(database.url, 'analyze');
});

describe('beside a backlog of another owner, without positions, an owner with twenty events', () => {
  it.each([
    [1, 'no event'],
    [10, 'no event'],
    [1, 'an event'],
    [10, 'an event'],
  ])('reads no others, executed %d times before, with %s that has no position', async (times, unnumbered) => {
    expect(statements.map(({ text }) => text).join('\n')).toMatch(
      /last_event.*select w\.place.*select e\.owner_id.*is_behind.*webhook_fan_out/s,
    );
    if (unnumbered === 'an event') await insertMany(database.url, OWNER, 1, '2026-01-02');
    const read = [];
    for (const statement of statements) {
      const cost = await costOfCall(database.url, statement, times);
      read.push([statement.text, cost.read['changes'] ?? 0] as const);
    }
    expect(read.filter(([, count]) => count > READ_MAX)).toEqual([]);
  });
});

describe('beside an old snapshot, a feed that was numbered 2,000 times since', () => {
  it('is read at the same cost', async () => {
    const owner = 'dumped';
    await insertMany(database.url, owner, 1, '2026-01-01');
    const [end] = (await statementsOf(owner)).filter(({ text }) => text.includes('last_event'));
    if (!end) throw new Error('no statement reads the end of a feed');
    // Without the entries of changes that got their positions meanwhile, which readers share the look through.
    const short = { ...end, parameters: ['false', owner] };
    const before = await costOf(database.url, short, 1);
    const [row] = await execute<{ name: string }>(
      database.url,
      `select proname as name from pg_proc where proname like 'events\\_number\\_%'`,
    );
    const dump = await anotherSession(database.url);
    await dump.query('begin isolation level repeatable read; select 1 from changes limit 1');
    await execute(
      database.url,
      `do $$ begin
         for n in 1..2000 loop
           insert into changes
             (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
           values ('${owner}', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
             timestamptz '2026-01-02' + n * interval '1 second', 1);
           perform ${row?.name}('${owner}', 'infinity');
           commit;
         end loop;
       end $$`,
    );
    const after = await costOf(database.url, short, 1);
    await dump.query('rollback');
    expect(after.read).toEqual(before.read);
    expect(after.buffers).toBeLessThanOrEqual(before.buffers + 4);
  });
});
