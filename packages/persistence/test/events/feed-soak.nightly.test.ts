import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { env, execPath, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
import { type Database, openDatabase, postgresEventFeed, purge } from '@orders/persistence';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { storedFeed, upTo } from '../fixtures/feed-rows.ts';
import { readSequence, type SequenceReader } from './sequence-reader.ts';
import { writeVersions } from './write-versions.ts';

/** The approximate number of events. `SOAK_EVENTS` sets more. */
const EVENTS = Number(env['SOAK_EVENTS'] ?? 25_000);

const OWNER = 'soak';
const WRITERS = 8;

/** Changes of a transaction. */
const EACH = 25;

/** The share of the transactions that is committed. */
const KEPT = 6 / 7;

/** The pauses between two of these faults, in milliseconds. */
const TERMINATE_MS = 20;
const KILL_MS = 300;
const PURGE_MS = 100;

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url });
});
afterAll(() => another.close());

/** Terminates the sessions that give positions, and returns their number. */
async function terminateNumbering(): Promise<number> {
  const rows = await execute(
    database.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
       and query like '%events_number_%'`,
  );
  return rows.length;
}

/** Starts a process that gives positions and kills it while it does; returns after its end. */
async function killNumbering(): Promise<void> {
  const script = join(import.meta.dirname, 'number-forever.ts');
  const command = endingWithParent(execPath, ['--conditions=source', script, database.url, OWNER]);
  const child = spawn(...command, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  child.kill('SIGKILL');
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
}

/** Purges what all readers have received. */
async function purgeRead(readers: readonly SequenceReader[]): Promise<void> {
  const times = readers.map((reader) => reader.lastAt());
  if (times.includes(null)) return;
  // The last event of the slowest reader stays, and so do all events behind it.
  const oldest = Math.min(...times.map((time) => Date.parse(time ?? '')));
  const cutoff = new Date(oldest - 1).toISOString();
  await purge(another)({ now: new Date().toISOString(), eventsBefore: cutoff, historyBefore: cutoff });
}

it(
  'a feed under late commits, rollbacks, terminated sessions, killed processes and purges misses nothing for any reader',
  async () => {
    const transactions = Math.ceil(EVENTS / KEPT / EACH / WRITERS);
    let isWritten = false;
    let isPurged = false;
    // On a busy machine, each purge amid the writes may meet a fault. The readers then go on until one succeeds.
    const isOver = () => isWritten && isPurged;
    const writing = Promise.all(
      upTo(WRITERS).map((writer) => writeVersions(database.url, OWNER, writer, transactions, EACH)),
    ).finally(() => (isWritten = true));
    const [one, other] = [postgresEventFeed(database.current), postgresEventFeed(another)];
    const readers = [
      readSequence(one, OWNER, 100, isOver),
      readSequence(one, OWNER, 37, isOver),
      readSequence(other, OWNER, 100, isOver),
      readSequence(other, OWNER, 64, isOver),
    ];
    let terminated = 0;
    let killed = 0;
    let brokenOff = 0;
    const faults = [
      async () => {
        while (!isWritten) {
          terminated += await terminateNumbering();
          await pause(TERMINATE_MS);
        }
      },
      async () => {
        while (!isWritten) {
          await killNumbering();
          killed += 1;
          await pause(KILL_MS);
        }
      },
      async () => {
        while (!isOver()) {
          await purgeRead(readers).catch((cause: unknown) => {
            // A purge gives positions too, so that its session may be terminated, also between two of its statements. On a
            // busy machine, a statement about aggregates with thousands of versions may exceed its time limit. A server
            // purges again later, too.
            if (!/terminate|terminating|not queryable|statement timeout/i.test(String(cause))) throw cause;
            brokenOff += 1;
          });
          isPurged = ((await storedFeed(database.url, OWNER))?.purged ?? 0) > 0;
          await pause(PURGE_MS);
        }
      },
    ];
    const [written, sequences] = await Promise.all([
      writing,
      Promise.all(readers.map(({ sequence }) => sequence)),
      ...faults.map((inject) => inject()),
    ]);
    const expected = new Map(written.flatMap(({ versions }) => [...versions]));
    const count = written.reduce((sum, { events }) => sum + events.length, 0);
    expect(count).toBeGreaterThan(EVENTS * 0.95);
    for (const sequence of sequences) {
      expect(sequence.count).toBe(count);
      expect(new Map([...expected].filter(([id, version]) => sequence.versions.get(id) !== version))).toEqual(
        new Map(),
      );
      expect(sequence.hash).toBe(sequences[0]?.hash);
    }
    expect(Math.min(terminated, killed)).toBeGreaterThan(0);
    const feed = await storedFeed(database.url, OWNER);
    if (env['SOAK_EVENTS'] !== undefined) {
      const injected = `${terminated} sessions terminated, ${killed} processes killed, ${brokenOff} purges broken off`;
      stdout.write(`${count} events, ${feed?.purged} purged; ${injected}\n`);
    }
    expect(feed?.position).toBe(count);
    expect(feed?.purged).toBeGreaterThan(0);
  },
  Math.max(300_000, EVENTS * 2),
);
