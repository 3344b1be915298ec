import { setTimeout as sleep } from 'node:timers/promises';
import { FAN_OUT_BATCH_MAX, type FannedOut } from '@orders/domain/webhooks';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { HANG, startReceiver } from './receiver.ts';
import { aWorkerSystem, eventually } from './worker-system.ts';

describe('a worker with slow and busy owners', () => {
  it('delivers the events of others while attempts of some owners hang', async () => {
    await using slow = await startReceiver(HANG);
    await using quick = await startReceiver();
    const system = aWorkerSystem();
    for (const owner of ['slow 1', 'slow 2', 'slow 3']) {
      for (let endpoint = 0; endpoint < 3; endpoint += 1) await system.subscribe(owner, slow.url);
      for (let count = 0; count < 20; count += 1) await system.place(owner);
    }
    await system.subscribe('quick', quick.url);
    const worker = system.start({ attemptsMax: 64, attemptsPerOwnerMax: 16 });
    // Each of the slow owners has all that it may have.
    await eventually(() => expect(slow.messages.length).toBeGreaterThanOrEqual(3));
    await eventually(() => expect(worker.state().ownersWaiting).toBe(0));
    for (let count = 0; count < 20; count += 1) await system.place('quick');
    worker.wake('quick');
    await eventually(() => expect(quick.accepted).toHaveLength(20));
    expect(worker.state().inFlight).toBeGreaterThanOrEqual(slow.messages.length);
    expect(slow.accepted).toEqual([]);
  });

  it('serves another owner before all deliveries of a busy one are made', async () => {
    await using busy = await startReceiver();
    await using other = await startReceiver();
    const system = aWorkerSystem();
    await system.subscribe('busy', busy.url);
    await system.subscribe('other', other.url);
    for (let count = 0; count < 400; count += 1) await system.place('busy');
    const worker = system.start({ pollMs: 3_600_000 });
    await eventually(() => expect(busy.messages.length).toBeGreaterThan(0));
    await system.place('other');
    const busyBefore = busy.messages.length;
    worker.wake('other');
    await eventually(() => expect(other.messages).toHaveLength(1));
    expect(busy.messages.length - busyBefore).toBeLessThan(100);
    await eventually(() => expect(busy.accepted).toHaveLength(400));
  });

  it('makes no more attempts at a time than its limits', async () => {
    await using receiver = await startReceiver(HANG);
    const system = aWorkerSystem();
    for (let owner = 0; owner < 6; owner += 1) {
      await system.subscribe(`owner ${owner}`, receiver.url);
      for (let count = 0; count < 5; count += 1) await system.place(`owner ${owner}`);
    }
    const worker = system.start({ attemptsMax: 4, attemptsPerOwnerMax: 2 });
    await eventually(() => expect(receiver.messages).toHaveLength(4));
    const due = await system.store.webhookQueue.findDue(100, null);
    // The owners without attempts wait for a slot; nothing was claimed for them.
    expect(due._unsafeUnwrap().owners.length).toBeGreaterThanOrEqual(2);
    expect(worker.state().inFlight).toBe(4);
    expect(receiver.messages).toHaveLength(4);
  });

  it('does not query the store for each write of an owner without endpoints', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    const { webhookQueue: queue } = system.store;
    let calls = 0;
    const counted: typeof queue = {
      findDue: (limit, after) => queue.findDue(limit, after),
      fanOut: (owner) => {
        if (owner === 'without') calls += 1;
        return queue.fanOut(owner);
      },
      claim: (owner, limit) => queue.claim(owner, limit),
      settle: (...settled) => queue.settle(...settled),
    };
    const worker = system.start({ queue: counted });
    await system.subscribe('with', receiver.url);
    for (let count = 0; count < 50; count += 1) {
      await system.place('without');
      worker.wake('without');
      await system.place('with');
      worker.wake('with');
      await eventually(() => expect(receiver.accepted).toHaveLength(count + 1));
    }
    expect(calls).toBe(1);
    // Once it has an endpoint, the background query finds its events.
    await system.subscribe('without', receiver.url);
    await eventually(() => expect(receiver.accepted).toHaveLength(100));
  });

  it('claims once for an event, and again only after a settlement that says more is due', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    const { webhookQueue: queue } = system.store;
    let claims = 0;
    const counted: typeof queue = {
      findDue: (limit, after) => queue.findDue(limit, after),
      fanOut: (owner) => queue.fanOut(owner),
      claim: (owner, limit) => {
        claims += 1;
        return queue.claim(owner, limit);
      },
      settle: (...settled) => queue.settle(...settled),
    };
    await system.subscribe('owner', receiver.url);
    const worker = system.start({ pollMs: 3_600_000, queue: counted });
    const { id } = await system.place('owner');
    worker.wake('owner');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    expect(claims).toBe(1);
    for (let version = 2; version <= 3; version += 1) await system.change('owner', id);
    worker.wake('owner');
    await eventually(() => expect(receiver.accepted).toHaveLength(3));
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    expect(claims).toBe(3);
  });

  it('delivers at once what an owner writes after a new endpoint, which had none before', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    let queries = 0;
    const observer = { ownersDue: () => void (queries += 1) };
    const worker = system.start({ pollMs: 3_600_000, observer });
    await eventually(() => expect(queries).toBe(1));
    await system.place('new');
    worker.wake('new');
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    await system.subscribe('new', receiver.url, { start: 1 });
    worker.wakeForEndpoint('new');
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    await system.place('new');
    worker.wake('new');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    expect(queries).toBe(1);
  });

  it('delivers at once after many events that the endpoint of an owner does not want', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    await system.subscribe('picky', receiver.url, { types: ['order.changed'] });
    const worker = system.start({ pollMs: 3_600_000 });
    const { id } = await system.place('picky');
    worker.wake('picky');
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    await system.change('picky', id);
    worker.wake('picky');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
  });

  it('delivers at once what an owner writes after a background query has found its first events', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    const worker = system.start({
      pollMs: 50,
      queue: {
        findDue: () => okAsync({ owners: receiver.accepted.length === 0 ? ['elsewhere'] : [], next: null }),
        fanOut: (owner) => system.store.webhookQueue.fanOut(owner),
        claim: (owner, limit) => system.store.webhookQueue.claim(owner, limit),
        settle: (...settled) => system.store.webhookQueue.settle(...settled),
      },
    });
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

  it('searches a long list of owners page by page, at once while a page takes no time', async () => {
    const system = aWorkerSystem();
    const pages: (string | null)[] = [];
    const counts: number[] = [];
    system.start({
      pollMs: 3_600_000,
      observer: { ownersDue: (count) => void counts.push(count) },
      queue: {
        findDue: (_limit, after) => {
          pages.push(after);
          return okAsync({ owners: [`due ${pages.length}`], next: pages.length < 5 ? `page ${pages.length}` : null });
        },
        fanOut: () => okAsync({ isMoreLeft: false, hasEndpoints: true }),
        claim: () => okAsync([]),
        settle: () => expect.fail('nothing was claimed'),
      },
    });
    await eventually(() => expect(counts).toEqual([5]));
    expect(pages).toEqual([null, 'page 1', 'page 2', 'page 3', 'page 4']);
  });

  it('lets at most 10,000 owners wait, and queries for no others meanwhile', async () => {
    const system = aWorkerSystem();
    const held = Promise.withResolvers<FannedOut>();
    let queries = 0;
    const worker = system.start({
      queue: {
        findDue: () => {
          queries += 1;
          return okAsync({ owners: [], next: null });
        },
        fanOut: () => ResultAsync.fromSafePromise(held.promise),
        claim: () => okAsync([]),
        settle: () => expect.fail('nothing was claimed'),
      },
    });
    for (let number = 0; number < 10_050; number += 1) worker.wake(`owner ${number}`);
    expect(worker.state().ownersWaiting).toBe(10_000);
    const before = queries;
    await sleep(100);
    expect(queries).toBe(before);
    const stopped = worker.stop();
    held.resolve({ isMoreLeft: false, hasEndpoints: true });
    await stopped;
  });

  it('delivers events that are written while an owner has all attempts that it may have', async () => {
    const responses: (() => void)[] = [];
    await using receiver = await startReceiver(
      () => (response) => void responses.push(() => response.writeHead(204).end()),
    );
    const system = aWorkerSystem();
    await system.subscribe('slow', receiver.url);
    const worker = system.start({ attemptsPerOwnerMax: 1, pollMs: 3_600_000 });
    await system.place('slow');
    worker.wake('slow');
    await eventually(() => expect(responses).toHaveLength(1));
    await system.place('slow');
    worker.wake('slow');
    await eventually(() => expect(worker.state().ownersWaiting).toBe(0));
    responses[0]?.();
    await eventually(() => expect(receiver.messages).toHaveLength(2));
  });

  it('reads on behind many events that the endpoints of an owner do not want', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    await system.subscribe('owner', receiver.url, { types: ['order.changed'] });
    let queries = 0;
    const observer = { ownersDue: () => void (queries += 1) };
    const worker = system.start({ pollMs: 3_600_000, observer });
    await eventually(() => expect(queries).toBe(1));
    for (let count = 0; count < FAN_OUT_BATCH_MAX; count += 1) await system.place('owner');
    await system.change('owner', (await system.place('owner')).id);
    worker.wake('owner');
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
  });
});
