import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cpuUsage, execPath, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
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

const EVENTS = 100_000;
const OWNERS_OF_EVENTS = 500;
const PROCESSES = 2;
const KILLS = 20;

const TIMEOUT_MS = 600_000;

const database = testDatabase();

/** Inserts so many events of each of so many owners, one per second from `from` on. */
async function insert(owners: number, each: number, from: string): Promise<void> {
  await execute(
    database.url,
    `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select 'owner ' || o, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
       timestamptz '${from}' + n * interval '1 second', 1
     from generate_series(1, ${owners}) as o cross join generate_series(1, ${each}) as n`,
  );
}

/** What notices writes, and what searches all owners after one: other tests write to the same PostgreSQL. */
const [CHECK, SEARCH] = [/pg_current_snapshot/, /max\(o\.owner_id\)|f\.owner_id > |occurred_at limit 5000/];

it(
  'sends nothing about 10,000 idle owners but four checks a second and searches',
  async () => {
    const proxy = untilFinished(await startPostgresProxy(database.url));
    const watched = untilFinished(openDatabase({ url: proxy.url }));
    await insert(OWNERS, 1, '2026-01-01');
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
    for (let round = 0; round < 10; round += 1) await insert(BUSY, 1, `2026-02-01 0${round}:00:00`);
    await untilAll(OWNERS + 10 * BUSY);
    stop.abort();
    await consuming;
  },
  TIMEOUT_MS,
);

it(
  'stores the effect of each of 100,000 events once while processes are killed',
  async () => {
    await execute(
      database.url,
      `create table public.effects (owner_id text, position bigint, place serial);
     truncate changes, feeds, checkpoints`,
    );
    await insert(OWNERS_OF_EVENTS, EVENTS / OWNERS_OF_EVENTS, '2026-01-01');
    const script = join(import.meta.dirname, 'consume-all-forever.ts');
    const start = (): ChildProcess => {
      const command = endingWithParent(execPath, ['--conditions=source', script, database.url]);
      return spawn(...command, { stdio: ['pipe', 'pipe', 'inherit'] });
    };
    const began = performance.now();
    const kill = async (): Promise<void> => {
      const child = start();
      const ended = once(child, 'exit');
      if (child.stdout) await Promise.race([once(child.stdout, 'data'), ended]);
      child.stdout?.resume();
      await pause(Math.random() * 4000);
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
    };
    const killMany = async () => {
      for (let kills = 0; kills < KILLS / PROCESSES; kills += 1) await kill();
    };
    await Promise.all(Array.from({ length: PROCESSES }, killMany));
    const count = async () =>
      (await execute<{ count: number }>(database.url, 'select count(*)::int as count from public.effects'))[0]?.count ??
      0;
    const before = await count();
    const last = start();
    last.stdout?.resume();
    await vi.waitFor(async () => expect(await count()).toBeGreaterThanOrEqual(EVENTS), {
      timeout: TIMEOUT_MS,
      interval: 500,
    });
    const seconds = (performance.now() - began) / 1000;
    const ended = once(last, 'exit');
    last.kill('SIGKILL');
    await ended;
    stdout.write(`${KILLS} kills until event ${before}, all in ${seconds.toFixed(0)} s\n`);
    expect(before).toBeLessThan(EVENTS);
    const rows = await execute(
      database.url,
      `select owner_id from public.effects group by owner_id
     having array_agg(position order by place) <> array(select generate_series(1::bigint, ${EVENTS / OWNERS_OF_EVENTS}))`,
    );
    expect([await count(), rows]).toEqual([EVENTS, []]);
  },
  TIMEOUT_MS,
);
