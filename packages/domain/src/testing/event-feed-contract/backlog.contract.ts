import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FILTERED_POSITIONS_MAX, NUMBERING_BATCH_MAX, NUMBERING_BATCHES_MAX } from '../../events/event-feed.ts';
import { FeedBacklog } from '../../events/feed-backlog.ts';
import { FEED_START } from '../../events/feed-position.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, storeCustomer, type TestRunner } from '../contract-subject.ts';
import {
  change,
  endOf,
  type FeedServer,
  type OpenFeedSubject,
  page,
  positionsOf,
  read,
  readAll,
  upTo,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

const ORDERS = 10;

/** Writes `count` versions of each of ten orders. */
async function writeVersions(
  { place }: OrderFixtures,
  server: FeedServer<OrderDefinition>,
  owner: Owner,
  count: number,
): Promise<readonly string[]> {
  const write = async (): Promise<string> => {
    const { id } = (await place(server, owner)).order;
    for (let version = 2; version <= count; version += 1) await change(server, owner, id);
    return id;
  };
  return await Promise.all(Array.from({ length: ORDERS }, write));
}

export function backlogContract(
  { describe, it }: TestRunner,
  open: OpenFeedSubject<OrderDefinition>,
  fixtures: OrderFixtures,
): void {
  describe('a long feed', () => {
    it('has filtered pages that cover at most 1,000 positions', async () => {
      const subject = await open();
      const owner = anOwner();
      await writeVersions(fixtures, subject, owner, FILTERED_POSITIONS_MAX / ORDERS);
      await endOf(subject, owner);
      await storeCustomer(subject, owner);
      const types = ['customer.created'] as const;
      const first = await page(subject, owner, { types });
      assert.deepEqual([first.data, first.next.position, first.caught_up], [[], FILTERED_POSITIONS_MAX, false]);
      const second = await page(subject, owner, { types, after: first.next });
      assert.deepEqual(positionsOf(second.data), [FILTERED_POSITIONS_MAX + 1]);
      assert.equal(second.caught_up, true);
    });

    it('is numbered by several reads, and has no known end before the last', async () => {
      const subject = await open();
      const owner = anOwner();
      const numbered = NUMBERING_BATCH_MAX * NUMBERING_BATCHES_MAX;
      const ids = await writeVersions(fixtures, subject, owner, numbered / ORDERS + 1);
      const error = await fails(read(subject, owner, { start: 'latest' }));
      const cause = error.type === 'unavailable' ? error.cause : error;
      assert.ok(cause instanceof FeedBacklog, 'the cause of `unavailable` is no FeedBacklog');
      assert.equal(cause.last, numbered);
      assert.equal((await endOf(subject, owner)).position, numbered + ORDERS);
      const all = await readAll(subject, owner, { after: FEED_START });
      assert.deepEqual(positionsOf(all), upTo(numbered + ORDERS));
      for (const id of ids) {
        const versions = all.filter(({ resource }) => resource.id === id).map(({ resource }) => resource.version);
        assert.deepEqual(versions, upTo(numbered / ORDERS + 1));
      }
    });
  });
}
