import { cpuUsage, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { consumeAll } from '@orders/domain/events';
import { openDatabase, postgresCheckpoints, postgresEventFeed } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const OWNERS = 10_000;
const BUSY = 10;
/** Time for which statements are counted, in milliseconds. */
const COUNTED_MS = 10_000;

const TIMEOUT_MS = 600_000;

const database = testDatabase();

/** Inserts an event of each of so many owners. */
async function insert(owners: number, at: string): Promise<void> {
  await execute(
    database.url,
    `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select 'owner ' || o, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
       '${at}', 1
     from generate_series(1, ${owners}) as o`,
  );
}

/** What notices writes, and what searches all owners after one: other tests write to the same PostgreSQL. */
const [CHECK, SEARCH] = [/pg_current_snapshot/, /max\(o\.owner_id\)|f\.owner_id > |occurred_at limit 1000/];

it(
  'sends nothing about 10,000 idle owners but four checks a second and searches',
  async () => {
    const proxy = untilFinished(await startPostgresProxy(database.url));
    const watched = untilFinished(openDatabase({ url: proxy.url }));
    await insert(OWNERS, '2026-01-01');
    let handled = 0;
    const stop = new AbortController();
    const consuming = consumeAll({
      feed: postgresEventFeed(watched),
      checkpoints: postgresCheckpoints(watched),
      name: 'all',
      handler: () => void (handled += 1),
      signal: stop.signal,
    });
    const untilAll = async (count: number) =>
      await vi.waitFor(() => expect(handled).toBe(count), { timeout: TIMEOUT_MS });
    await untilAll(OWNERS);
    const isAboutAll = ({ text }: { readonly text: string }) => CHECK.test(text) || SEARCH.test(text);
    // The searches that began before the last saves.
    await vi.waitFor(async () => {
      proxy.clear();
      await pause(COUNTED_MS / 10);
      expect(proxy.statements.filter((statement) => !isAboutAll(statement))).toEqual([]);
    });
    proxy.clear();
    const [cpu, began] = [cpuUsage(), performance.now()];
    await pause(COUNTED_MS);
    const ms = performance.now() - began;
    const { user, system } = cpuUsage(cpu);
    const checks = proxy.statements.filter(({ text }) => CHECK.test(text)).length;
    stdout.write(`idle: ${proxy.statements.length} statements, CPU ${((user + system) / 10 / ms).toFixed(1)} %\n`);
    expect(checks).toBeGreaterThan(0);
    expect(checks).toBeLessThanOrEqual(ms / 250 + 1);
    expect(proxy.statements.filter((statement) => !isAboutAll(statement))).toEqual([]);
    for (let round = 0; round < 10; round += 1) await insert(BUSY, `2026-02-01 0${round}:00:00`);
    await untilAll(OWNERS + 10 * BUSY);
    stop.abort();
    await consuming;
  },
  TIMEOUT_MS,
);
