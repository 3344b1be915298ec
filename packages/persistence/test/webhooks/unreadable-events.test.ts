import { postgresWebhookQueue } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { ACCEPTED, endpointId, insertEndpoint, insertVersions, storedDeliveries } from '../fixtures/delivery-rows.ts';
import { advance } from '../fixtures/contract-subject.ts';

const database = testDatabase();
const ENDPOINT = endpointId(1);

/** Stores an endpoint that includes resources, two versions of one order, and one of another. */
async function aSubscriber(owner: string): Promise<void> {
  await insertEndpoint(database.url, owner, ENDPOINT);
  await execute(database.url, `update webhook_endpoints set include = '["resource"]' where owner_id = '${owner}'`);
  await insertVersions(database.url, owner, 1, [1, 2]);
  await insertVersions(database.url, owner, 2, [1, 1], '2026-02-01');
}

/** What makes the first version of the first order unreadable. */
const RECORDS = [
  ['a snapshot of a later format', `snapshot_format = 99`],
  ['a snapshot that contains no order', `snapshot = '{"kind":"order of a later release"}'`],
  ['an aggregate of a later release', `aggregate = 'shipment'`],
] as const;

describe.each(RECORDS)('an event with %s', (_, assignment) => {
  const owner = `owner ${assignment}`.replaceAll(/[^a-z ]/g, '');
  const unreadable: unknown[] = [];
  const queue = () =>
    postgresWebhookQueue(database.current, {
      onUnreadable: (...details) => void unreadable.push(details.slice(0, 3)),
    });

  it('waits with later events of its resource, while others are claimed, and is reported', async () => {
    await aSubscriber(owner);
    (await queue().fanOut(owner))._unsafeUnwrap();
    await execute(database.url, `update changes set ${assignment} where owner_id = '${owner}' and position = 1`);
    const claimed = (await queue().claim(owner, 10))._unsafeUnwrap();
    expect(claimed.map(({ event }) => event.position)).toEqual([3]);
    expect(unreadable).toEqual([[owner, ENDPOINT, 1]]);
    for (const one of claimed) (await queue().settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
    expect((await queue().claim(owner, 10))._unsafeUnwrap()).toEqual([]);
    // It takes no attempt, and no place among the attempts of its endpoint.
    expect(
      (await storedDeliveries(database.url, owner)).map((one) => [one.status, one.attempts, one.is_leased]),
    ).toEqual([
      ['pending', 0, false],
      ['pending', 0, false],
      ['delivered', 1, false],
    ]);
  });

  it('is claimed again a minute later, by a release that can read it', async () => {
    await advance(database.current, owner, 60_000);
    expect((await queue().claim(owner, 10))._unsafeUnwrap()).toEqual([]);
    expect(unreadable).toHaveLength(2);
    await advance(database.current, owner, 60_000);
    await execute(
      database.url,
      `update changes set aggregate = 'order', snapshot_format = 1, snapshot = null
       where owner_id = '${owner}' and position = 1`,
    );
    for (const version of [1, 2]) {
      const claimed = (await queue().claim(owner, 10))._unsafeUnwrap();
      expect(claimed.map(({ event, attempt }) => [event.resource.version, attempt])).toEqual([[version, 1]]);
      for (const one of claimed) (await queue().settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
    }
  });
});

describe('many events that cannot be read', () => {
  it('do not end a claim before an event that can be', async () => {
    const owner = 'many';
    await insertEndpoint(database.url, owner, ENDPOINT);
    await execute(database.url, `update webhook_endpoints set include = '["resource"]' where owner_id = '${owner}'`);
    for (let order = 1; order <= 20; order += 1) await insertVersions(database.url, owner, order, [1, 1]);
    await execute(database.url, `update changes set snapshot_format = 99 where owner_id = '${owner}'`);
    await insertVersions(database.url, owner, 21, [1, 1], '2026-02-01');
    const queue = postgresWebhookQueue(database.current);
    (await queue.fanOut(owner))._unsafeUnwrap();
    const claimed = (await queue.claim(owner, 8))._unsafeUnwrap();
    expect(claimed.map(({ event }) => event.position)).toEqual([21]);
  });
});
