import { setTimeout as sleep } from 'node:timers/promises';
import { FAN_OUT_BATCH_MAX, type FannedOut } from '@orders/domain/webhooks';
import type { WebhookWorker } from '@orders/webhooks';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aWorkerSystem, eventually, HANG, type WorkerSystem } from './worker-system.ts';

/** The background query runs once, and not again during the test. */
const ONCE_MS = 3_600_000;

async function placeMany(system: WorkerSystem, owner: string, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await system.place(owner);
}

const isIdle = (worker: WebhookWorker) =>
  eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));

describe('a worker with slow and busy owners', () => {
  it('delivers the events of others while attempts of some owners hang', async () => {
    const system = aWorkerSystem();
    const [slow, quick] = [system.receiver(HANG), system.receiver()];
    for (const owner of ['slow 1', 'slow 2', 'slow 3']) {
      for (let endpoint = 0; endpoint < 3; endpoint += 1) await system.subscribe(owner, slow.url);
      await placeMany(system, owner, 20);
    }
    await system.subscribe('quick', quick.url);
    const worker = system.start({ attemptsMax: 64, attemptsPerOwnerMax: 16 });
    // Each of the slow owners has all that it may have.
    await eventually(() => expect(slow.messages.length).toBeGreaterThanOrEqual(3));
    await eventually(() => expect(worker.state().ownersWaiting).toBe(0));
    await placeMany(system, 'quick', 20);
    worker.wake('quick');
    await eventually(() => expect(quick.accepted).toHaveLength(20));
    expect(worker.state().inFlight).toBeGreaterThanOrEqual(slow.messages.length);
  });

  it('serves another owner before all deliveries of a busy one are made', async () => {
    const system = aWorkerSystem();
    const [busy, other] = [system.receiver(), system.receiver()];
    await system.subscribe('busy', busy.url);
    await system.subscribe('other', other.url);
    await placeMany(system, 'busy', 400);
    const worker = system.start({ pollMs: ONCE_MS });
    await eventually(() => expect(busy.messages.length).toBeGreaterThan(0));
    await system.place('other');
    const busyBefore = busy.messages.length;
    worker.wake('other');
    await eventually(() => expect(other.messages).toHaveLength(1));
    expect(busy.messages.length - busyBefore).toBeLessThan(100);
    await eventually(() => expect(busy.accepted).toHaveLength(400));
  });

  it('makes no more attempts at a time than its limits', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver(HANG);
    for (let owner = 0; owner < 6; owner += 1) {
      await system.subscribe(`owner ${owner}`, receiver.url);
      await placeMany(system, `owner ${owner}`, 5);
    }
    const worker = system.start({ attemptsMax: 4, attemptsPerOwnerMax: 2 });
    await eventually(() => expect(receiver.messages).toHaveLength(4));
    const due = await system.store.webhookQueue.findDue(100, null);
    // The owners without attempts wait for a slot; nothing was claimed for them.
    expect(due._unsafeUnwrap().owners.length).toBeGreaterThanOrEqual(2);
    expect(worker.state().inFlight).toBe(4);
    expect(receiver.messages).toHaveLength(4);
  });

  it('delivers events that are written while an owner has all attempts that it may have', async () => {
    const response = Promise.withResolvers<number>();
    const system = aWorkerSystem();
    const { receiver } = await system.subscribed('slow', () => response.promise);
    const worker = system.start({ attemptsPerOwnerMax: 1, pollMs: ONCE_MS });
    for (const order of [1, 2]) {
      await system.place('slow');
      worker.wake('slow');
      await eventually(() => expect(receiver.messages).toHaveLength(1));
      await eventually(() => expect([order, worker.state().ownersWaiting]).toEqual([order, 0]));
    }
    response.resolve(204);
    await eventually(() => expect(receiver.messages).toHaveLength(2));
  });
});

describe('a worker that is woken', () => {
  it('does not query the store for each write of an owner without endpoints', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver();
    const correct = system.queueWith({});
    let calls = 0;
    const queue = system.queueWith({
      fanOut: (owner) => {
        if (owner === 'without') calls += 1;
        return correct.fanOut(owner);
      },
    });
    const worker = system.start({ queue });
    await system.subscribe('with', receiver.url);
    for (let count = 0; count < 10; count += 1) {
      for (const owner of ['without', 'with']) {
        await system.place(owner);
        worker.wake(owner);
      }
      await eventually(() => expect(receiver.accepted).toHaveLength(count + 1));
    }
    expect(calls).toBe(1);
    // Once it has an endpoint, the background query finds its events.
    await system.subscribe('without', receiver.url);
    await eventually(() => expect(receiver.accepted).toHaveLength(20));
  });

  it('claims once for an event, and again only after a settlement that says more is due', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver();
    const correct = system.queueWith({});
    let claims = 0;
    const queue = system.queueWith({
      claim: (owner, limit) => {
        claims += 1;
        return correct.claim(owner, limit);
      },
    });
    await system.subscribe('owner', receiver.url);
    const worker = system.start({ pollMs: ONCE_MS, queue });
    const { id } = await system.place('owner');
    worker.wake('owner');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    await isIdle(worker);
    expect(claims).toBe(1);
    for (let version = 2; version <= 3; version += 1) await system.change('owner', id);
    worker.wake('owner');
    await eventually(() => expect(receiver.accepted).toHaveLength(3));
    await isIdle(worker);
    expect(claims).toBe(3);
  });

  it('delivers at once what an owner writes after a new endpoint, which had none before', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver();
    let queries = 0;
    const worker = system.start({ pollMs: ONCE_MS, observer: { ownersDue: () => void (queries += 1) } });
    await eventually(() => expect(queries).toBe(1));
    await system.place('new');
    worker.wake('new');
    await isIdle(worker);
    await system.subscribe('new', receiver.url, { start: 1 });
    worker.wakeForEndpoint('new');
    await isIdle(worker);
    await system.place('new');
    worker.wake('new');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    expect(queries).toBe(1);
  });

  it('delivers at once behind many events that the endpoint of an owner does not want', async () => {
    const system = aWorkerSystem();
    const { receiver } = await system.subscribed('picky', undefined, { types: ['order.changed'] });
    const worker = system.start({ pollMs: ONCE_MS });
    const { id } = await system.place('picky');
    worker.wake('picky');
    await isIdle(worker);
    await placeMany(system, 'picky', FAN_OUT_BATCH_MAX);
    await system.change('picky', id);
    worker.wake('picky');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
  });

  it('delivers at once what an owner writes after a background query has found its first events', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver();
    const queue = system.queueWith({
      findDue: () => okAsync({ owners: receiver.accepted.length === 0 ? ['elsewhere'] : [], next: null }),
    });
    const worker = system.start({ pollMs: 50, queue });
    await system.place('elsewhere');
    worker.wake('elsewhere');
    await eventually(() => expect(worker.state().ownersWaiting).toBe(0));
    // By another process.
    await system.subscribe('elsewhere', receiver.url);
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    await system.place('elsewhere');
    worker.wake('elsewhere');
    await eventually(() => expect(receiver.accepted).toHaveLength(2));
  });

  it('lets at most 10,000 owners wait, and queries for no others meanwhile', async () => {
    const system = aWorkerSystem();
    const held = Promise.withResolvers<FannedOut>();
    let queries = 0;
    const queue = system.queueWith({
      findDue: () => {
        queries += 1;
        return okAsync({ owners: [], next: null });
      },
      fanOut: () => ResultAsync.fromSafePromise(held.promise),
    });
    const worker = system.start({ queue });
    for (let number = 0; number < 10_050; number += 1) worker.wake(`owner ${number}`);
    expect(worker.state().ownersWaiting).toBe(10_000);
    const before = queries;
    await sleep(100);
    expect(queries).toBe(before);
    const stopped = worker.stop();
    held.resolve({ isMoreLeft: false, hasEndpoints: true });
    await stopped;
  });
});

it('a search for due owners reads page by page, and reads a page again that failed', async () => {
  const system = aWorkerSystem();
  const queried: (string | null)[] = [];
  const counts: number[] = [];
  const queue = system.queueWith({
    findDue: (_, after) => {
      queried.push(after);
      if (queried.length === 2) return errAsync({ type: 'unavailable', cause: new Error('no connection') });
      const isLast = queried.length === 5;
      return okAsync({ owners: [`due ${queried.length}`], next: isLast ? null : `page ${queried.length}` });
    },
  });
  const observer = { ownersDue: (count: number) => void counts.push(count) };
  // A page that is continued takes no time, and so has no pause.
  system.start({ pollMs: 100, observer, queue });
  await eventually(() => expect(counts).toEqual([4]));
  expect(queried.slice(0, 5)).toEqual([null, 'page 1', 'page 1', 'page 3', 'page 4']);
});
