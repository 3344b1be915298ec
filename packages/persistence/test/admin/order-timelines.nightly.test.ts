import { postgresTimelines } from '@orders/persistence';
import { expect, it } from 'vitest';
import { migratedDatabase, testDatabase } from '../fixtures/test-database.ts';
import { openDatabase } from '../../src/open-database.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { fillWithVersions, ORDER, OWNER, VERSIONS } from './many-versions.ts';
import { checkTimelines } from './timeline-history.ts';

const database = testDatabase();

/** For ten thousand commands, and to store a million orders. */
const TIMEOUT_MS = 1_200_000;

it(
  'timelines are those of a model after ten thousand random commands, erasures, corrections and purges',
  async () => {
    expect(await checkTimelines(database.url, 'random', 10_000, 11)).toBeGreaterThan(5000);
  },
  TIMEOUT_MS,
);

it(
  'a page of a timeline takes 50 ms at most of a million orders, for 99 of 100 pages',
  async () => {
    const url = await migratedDatabase();
    await fillWithVersions(url, 1_000_000);
    const timelines = postgresTimelines(untilFinished(openDatabase({ url })));
    const times: number[] = [];
    for (let afterVersion = 0; times.length < 300; afterVersion = (afterVersion + 61) % VERSIONS) {
      const began = performance.now();
      const page = await timelines.read(OWNER, ORDER, { limit: 20, afterVersion, afterComment: null });
      times.push(performance.now() - began);
      expect(page._unsafeUnwrap().data.length).toBeGreaterThan(0);
    }
    expect(times.toSorted((left, right) => left - right)[296]).toBeLessThan(50);
  },
  TIMEOUT_MS,
);
