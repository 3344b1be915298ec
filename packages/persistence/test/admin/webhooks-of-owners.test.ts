import {
  type OwnersPageOf,
  type OwnersPlace,
  postgresDeliveriesOfOwners,
  postgresEndpointsOfOwners,
} from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

function known<Row>(page: OwnersPageOf<Row> | null): OwnersPageOf<Row> {
  if (!page) throw new Error('the place is unknown');
  return page;
}

const OWNERS = ['a', 'b', 'c'] as const;
const [FIRST, SECOND] = [endpointId(1), endpointId(2)];
/** Each event occurred at the second of its position. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

beforeAll(async () => {
  for (const owner of OWNERS) {
    await insertMany(database.url, owner, 150, '2026-01-01Z');
    await newNumbering(database.current).run(owner);
    for (const id of [FIRST, SECOND]) await insertEndpoint(database.url, owner, id, 149);
    await insertDeliveries(database.url, owner, FIRST, [1, 150], {
      status: `case when n % 2 = 0 then 'failed' else 'pending' end`,
    });
  }
  await execute(
    database.url,
    `update webhook_endpoints set url = 'https://receiver.example/a-secret?token=1';
     update webhook_queues set failing = 1, last_success_at = '2026-01-01Z' where owner_id = 'b' and endpoint_id = '${FIRST}';
     update webhook_deliveries set fresh = false, first_attempt_at = timestamptz '2026-01-02Z' + position * interval '1 day'
     where owner_id = 'b' and status = 'pending'`,
  );
});

describe('the webhook endpoints of all owners', () => {
  const list = async (owner: string | null, limit: number, after: OwnersPlace | null = null) =>
    known((await postgresEndpointsOfOwners(database.current)({ owner, after, limit }))._unsafeUnwrap());

  it('have their health, without what follows the host of a URL', async () => {
    const { data, next, owners } = await list(null, 100);
    expect(data).toHaveLength(6);
    expect([next, owners]).toEqual([null, { looked_at: 3, all: 3 }]);
    expect(data[0]).toMatchObject({ owner: 'a', id: FIRST, url: 'https://receiver.example/', status: 'enabled' });
    expect(data[0]).toMatchObject({ last_success_at: null, failing_since: null, pending: 75, behind: 1 });
    expect(data[2]).toMatchObject({ owner: 'b', last_success_at: at(0), failing_since: at(2 * 86_400) });
    expect((await list('c', 100)).data.map(({ owner, id }) => [owner, id])).toEqual([
      ['c', FIRST],
      ['c', SECOND],
    ]);
  });

  it('are listed behind no place of another owner', async () => {
    const after = { owner_digest: 'AAAAAAAAAAA', endpoint_id: FIRST, position: 0 };
    const listed = await postgresEndpointsOfOwners(database.current)({ owner: null, after, limit: 1 });
    expect(listed._unsafeUnwrap()).toBeNull();
  });

  it('are listed by pages, each once', async () => {
    const all: unknown[] = [];
    let place: OwnersPlace | null = null;
    do {
      const { data, next, owners } = await list(null, 1, place);
      expect(owners.looked_at).toBe(
        OWNERS.indexOf(data[0]?.owner === 'a' ? 'a' : data[0]?.owner === 'b' ? 'b' : 'c') + 1,
      );
      all.push(...data);
      place = next;
    } while (place);
    expect(all).toEqual((await list(null, 100)).data);
  });
});

describe('the deliveries of all owners', () => {
  const list = async (query: object, after: OwnersPlace | null = null) =>
    known(
      (
        await postgresDeliveriesOfOwners(database.current)({
          owner: null,
          endpoint_id: null,
          status: null,
          from: null,
          before: null,
          after,
          limit: 100,
          ...query,
        })
      )._unsafeUnwrap(),
    );
  /** Follows all pages. */
  const all = async (query: object) => {
    const rows: string[] = [];
    let place: OwnersPlace | null = null;
    do {
      const { data, next } = await list(query, place);
      rows.push(...data.map(({ owner, position }) => `${owner}${position}`));
      place = next;
    } while (place);
    return rows;
  };
  const expected = (positions: readonly number[], owners: readonly string[] = OWNERS) =>
    owners.flatMap((owner) => positions.toReversed().map((position) => `${owner}${position}`));
  const upTo = Array.from({ length: 150 }, (_, index) => index + 1);

  it('are listed by owner, endpoint, status and time, the newest of an endpoint first, each once', async () => {
    expect(await all({})).toEqual(expected(upTo));
    expect(await all({ limit: 7, status: 'failed' })).toEqual(expected(upTo.filter((each) => each % 2 === 0)));
    expect(await all({ owner: 'b', limit: 20 })).toEqual(expected(upTo, ['b']));
    expect(await all({ endpoint_id: SECOND })).toEqual([]);
    const range = { from: at(20), before: at(31) };
    expect(await all({ ...range, limit: 4 })).toEqual(expected(upTo.slice(19, 30)));
    const [newest] = (await list({ limit: 1 })).data;
    expect(newest).toMatchObject({ endpoint_id: FIRST, type: 'order.placed', status: 'failed', occurred_at: at(150) });
  });
});
