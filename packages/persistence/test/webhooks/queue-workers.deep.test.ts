import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINT_IN_FLIGHT_MAX, type ClaimedDelivery } from '@orders/domain/webhooks';
import { type Database, openDatabase, postgresWebhookQueue, purge } from '@orders/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upTo } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  ACCEPTED,
  endpointId,
  insertEndpoint,
  insertVersions,
  rejected,
  setStatus,
  storedDeliveries,
} from '../fixtures/delivery-rows.ts';

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url });
});
afterAll(() => another.close());

const OWNER = 'owner';
const ENDPOINTS = [endpointId(1), endpointId(2)];
const ORDERS = 12;
const ROUNDS = 10;
/** Versions that each order gets in a round. */
const VERSIONS = 4;

async function deadlocks(): Promise<number> {
  const [row] = await execute<{ deadlocks: string }>(
    database.url,
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row?.deadlocks);
}

/** Ends one session of a server, if any is there. */
async function endOneSession(): Promise<void> {
  await execute(
    database.url,
    `select pg_terminate_backend(pid) from (
       select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like '%webhook%'
         and application_name = 'orders'
       order by random() limit 1) as session`,
  );
}

/** Receives deliveries as two endpoints would, and checks what holds at any time. */
class Receiver {
  /** The first acceptances of each endpoint and order, as versions. */
  readonly accepted = new Map<string, number[]>();
  readonly #inFlight = new Map<string, number>();
  maxInFlight = 0;

  /** Returns whether the endpoint accepts the delivery. */
  receive({ endpoint, event: { resource } }: ClaimedDelivery): boolean {
    if (Math.random() < 0.25) return false;
    const key = `${endpoint.id} ${resource.id}`;
    const versions = this.accepted.get(key) ?? [];
    if (!versions.includes(resource.version)) versions.push(resource.version);
    this.accepted.set(key, versions);
    return true;
  }

  begin({ endpoint: { id } }: ClaimedDelivery): () => void {
    const count = (this.#inFlight.get(id) ?? 0) + 1;
    this.#inFlight.set(id, count);
    this.maxInFlight = Math.max(this.maxInFlight, count);
    return () => this.#inFlight.set(id, (this.#inFlight.get(id) ?? 0) - 1);
  }
}

describe('the queue of four workers, whose connections end at random while endpoints are disabled and enabled,', () => {
  it('delivers each event at least once, those of an order in order, without a deadlock', async () => {
    const before = await deadlocks();
    const receiver = new Receiver();
    for (const id of ENDPOINTS) await insertEndpoint(database.url, OWNER, id);
    let isOver = false;

    const work = async (opened: Database): Promise<void> => {
      const queue = postgresWebhookQueue(opened);
      while (!isOver) {
        await queue.fanOut(OWNER);
        const claimed = (await queue.claim(OWNER, 6)).unwrapOr([]);
        if (claimed.length === 0) await sleep(5);
        await Promise.all(
          claimed.map(async (one) => {
            const end = receiver.begin(one);
            await sleep(Math.random() * 5);
            const [attempt, settlement] = receiver.receive(one) ? ACCEPTED : rejected(Math.round(Math.random() * 20));
            end();
            await queue.settle(OWNER, one, attempt, settlement);
          }),
        );
      }
    };
    const workers = [database.current, database.current, another, another].map((opened) => work(opened));

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const order of upTo(ORDERS)) {
        await insertVersions(database.url, OWNER, order, [round * VERSIONS + 1, (round + 1) * VERSIONS]);
      }
      const [id = ''] = ENDPOINTS;
      await setStatus(database.url, OWNER, id, 'disabled');
      await endOneSession();
      await sleep(Math.random() * 50);
      await setStatus(database.url, OWNER, id, 'enabled');
      await endOneSession();
    }

    // From here on leases expire while attempts are under way.
    const { maxInFlight } = receiver;
    const total = ENDPOINTS.length * ORDERS * ROUNDS * VERSIONS;
    for (let isComplete = false; !isComplete;) {
      // What a lost session had claimed, and what waits while an endpoint fails.
      await execute(
        database.url,
        `select from webhook_queues where owner_id = '${OWNER}' order by endpoint_id for update;
         update webhook_deliveries set due_at = due_at - interval '1 minute', leased_until = leased_until - interval '1 minute'
         where owner_id = '${OWNER}' and leased_until is not null;
         update webhook_queues set fresh_after = least(fresh_after, now()), full_until = null, fresh_claimed_to = null,
           retries_claimed_to = null where owner_id = '${OWNER}'`,
      );
      await sleep(200);
      const stored = await storedDeliveries(database.url, OWNER);
      isComplete = stored.length === total && stored.every(({ status }) => status === 'delivered');
    }
    isOver = true;
    await Promise.all(workers);
    expect(receiver.accepted.size).toBe(ENDPOINTS.length * ORDERS);
    for (const versions of receiver.accepted.values()) expect(versions).toEqual(upTo(ROUNDS * VERSIONS));
    expect(maxInFlight).toBeLessThanOrEqual(ENDPOINT_IN_FLIGHT_MAX);
    expect(await deadlocks()).toBe(before);
  });
});

describe('a purge', () => {
  it('beside fan-outs, claims and settlements leaves no delivery behind one that it has deleted', async () => {
    const owner = 'busy';
    const [endpoint = ''] = ENDPOINTS;
    const queue = postgresWebhookQueue(database.current);
    const purgeUntil = (eventsBefore: string) =>
      purge(another)({ now: new Date().toISOString(), eventsBefore: `${eventsBefore}T00:00:00.000Z` });
    await insertEndpoint(database.url, owner, endpoint);
    let isOver = false;
    const purging = (async () => {
      for (let day = 2; day < 30; day += 1) await purgeUntil(`2001-01-${String(day).padStart(2, '0')}`);
      isOver = true;
    })();
    const work = async () => {
      while (!isOver) {
        (await queue.fanOut(owner))._unsafeUnwrap();
        for (const one of (await queue.claim(owner, 4))._unsafeUnwrap()) {
          (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
        }
      }
    };
    const write = async () => {
      for (let day = 1; day < 30; day += 1) {
        const from = `2001-01-${String(day).padStart(2, '0')}`;
        await insertVersions(database.url, owner, 1, [10 * day - 9, 10 * day], from);
      }
    };
    await Promise.all([purging, work(), work(), write()]);
    for (let day = 30; day <= 31; day += 1)
      await insertVersions(database.url, owner, 1, [10 * day, 10 * day + 5], '2026-01-01');
    const versions: number[] = [];
    for (let isLast = false; !isLast;) {
      (await queue.fanOut(owner))._unsafeUnwrap();
      const claimed = (await queue.claim(owner, 4))._unsafeUnwrap();
      isLast = claimed.length === 0;
      for (const one of claimed) {
        versions.push(one.event.resource.version);
        (await queue.settle(owner, one, ...ACCEPTED))._unsafeUnwrap();
      }
    }
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
    expect(versions.slice(-12)).toEqual([300, 301, 302, 303, 304, 305, 310, 311, 312, 313, 314, 315]);
    const pending = (await storedDeliveries(database.url, owner)).filter(({ status }) => status === 'pending');
    expect(pending).toEqual([]);
  });
});
