import { setTimeout as sleep } from 'node:timers/promises';
import { numberBacklogs } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { givenPositions, insertMany, upTo } from '../fixtures/feed-rows.ts';

const database = testDatabase();

/** The duration of the first batch of a backlog in milliseconds. Three times as long is the least pause. */
const SLOW_MS = 300;

describe('numbering of a backlog', () => {
  it('pauses after 5,000 changes for three times as long as they took', async () => {
    const { proxy, server } = await watchedServer(database.url);
    await insertMany(database.url, 'read', 5001, '2026-01-01');
    proxy.fault(1, () => sleep(SLOW_MS));
    const numbering = newNumbering(server);
    expect(await numbering.run('read')).toBe(false);
    const ended = performance.now();
    expect(await numbering.run('read')).toBe(true);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(3 * SLOW_MS);
    expect(await givenPositions(database.url, 'read')).toEqual(upTo(5001));
  });

  it('pauses in the background after each owner, and ends its pause when it is stopped', async () => {
    const { proxy, server } = await watchedServer(database.url);
    await insertMany(database.url, 'a', 1001, '2026-01-01');
    await insertMany(database.url, 'b', 1001, '2026-01-01');
    proxy.clear();
    // The first statement looks for the owners.
    proxy.fault(2, () => sleep(SLOW_MS));
    const begun = performance.now();
    expect(await numberBacklogs(server)).toMatchObject({ owners: 2 });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(4 * SLOW_MS);
    const LONG_MS = 1600;
    await insertMany(database.url, 'c', 1001, '2026-01-01');
    proxy.clear();
    proxy.fault(2, () => sleep(LONG_MS));
    const stop = new AbortController();
    const numbered = numberBacklogs(server, stop.signal);
    await expect.poll(() => givenPositions(database.url, 'c'), { timeout: 60_000 }).toHaveLength(1001);
    const stopped = performance.now();
    stop.abort();
    expect(await numbered).toMatchObject({ owners: 1 });
    expect(performance.now() - stopped).toBeLessThan(3 * LONG_MS);
  });
});
