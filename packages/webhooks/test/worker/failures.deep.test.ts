import { systemTimer, type Timer } from '@orders/domain/events';
import { faulty } from '@orders/domain/testing';
import { ATTEMPTS_MAX, type FannedOut } from '@orders/domain/webhooks';
import type { ObservedAttempt } from '@orders/webhooks';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aWorkerSystem, eventually, HANG } from './worker-system.ts';

const OWNER = 'acme';
const LEASE_MS = 60_000;

describe('a worker whose store fails', () => {
  it.each([
    ['findDue', 'the store of webhooks failed'],
    ['fanOut', 'the store of webhooks failed'],
    ['claim', 'the store of webhooks failed'],
    ['settle', 'the result of a webhook was not recorded'],
  ] as const)('continues after failures of %s, and sends the message once', async (method, message) => {
    const system = aWorkerSystem();
    const receiver = system.receiver();
    let calls = 0;
    const { [method]: correct } = system.queueWith({});
    const failing = (...input: never[]): unknown => {
      calls += 1;
      if (calls === 1) return errAsync({ type: 'unavailable', cause: new Error('no connection') });
      if (calls === 2) throw new Error('a defect of the store');
      return Reflect.apply(correct, undefined, input);
    };
    const { id } = await system.subscribe(OWNER, receiver.url);
    await system.place(OWNER);
    let observed = 0;
    system.start({ queue: system.queueWith({ [method]: failing }), observer: { storeFailed: () => (observed += 1) } });
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'delivered' }]));
    expect(receiver.messages).toHaveLength(1);
    expect(observed).toBe(2);
    expect(system.log).toMatchObject([
      { level: 'warn', message },
      { level: 'warn', message },
    ]);
  });

  it('pauses before it queries the store again', async () => {
    const system = aWorkerSystem();
    let calls = 0;
    const { webhookQueue: queue } = faulty(system.store, () => {
      calls += 1;
      return 'unavailable';
    });
    const pauses: number[] = [];
    const timer: Timer = {
      now: () => performance.now(),
      random: () => 0,
      pause: async (ms, signal) => {
        pauses.push(ms);
        if (pauses.length > 40) await systemTimer.pause(ms, signal);
      },
    };
    const worker = system.start({ queue, pollMs: 1000, timer });
    for (let count = 0; count < 1000; count += 1) worker.wake(`owner ${count}`);
    await eventually(() => expect(pauses.length).toBeGreaterThan(40));
    // Four owners have their turn at a time, beside the background query.
    expect(calls).toBeLessThan(5 * pauses.length);
    expect(Math.max(...pauses.filter((ms) => ms !== 750))).toBe(2500);
  });

  it('leaves a delivery to the next worker if it ends between claim and result', async () => {
    const system = aWorkerSystem();
    const { receiver, id } = await system.subscribed(OWNER);
    const order = await system.place(OWNER);
    await system.change(OWNER, order.id);
    const correct = system.queueWith({});
    const resumed = Promise.withResolvers<undefined>();
    let [lost, claims] = [0, 0];
    // Its process stands still after the response of the receiver.
    const queue = system.queueWith({
      claim: (owner, limit) => ((claims += 1) === 1 ? correct.claim(owner, limit) : okAsync([])),
      settle: (...settled) => ResultAsync.fromSafePromise(resumed.promise).andThen(() => correct.settle(...settled)),
    });
    const first = system.start({ queue, observer: { leaseLost: () => (lost += 1) } });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const second = system.start();
    await eventually(async () => expect((await system.deliveries(OWNER, id))[1]).toMatchObject({ status: 'pending' }));
    expect(receiver.messages).toHaveLength(1);
    system.advance(LEASE_MS);
    const delivered = { status: 'delivered', attempts: 1 };
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([delivered, delivered]));
    expect(receiver.messages.map(({ resource }) => resource.version)).toEqual([1, 1, 2]);
    resumed.resolve(undefined);
    await eventually(() => expect(lost).toBe(1));
    expect(first.state().inFlight + second.state().inFlight).toBe(0);
    expect(await system.deliveries(OWNER, id)).toMatchObject([delivered, delivered]);
  });

  it('disables an endpoint that accepts no attempt of a delivery, after the lease if that failed at first', async () => {
    const system = aWorkerSystem();
    const { receiver, id } = await system.subscribed(OWNER, () => 503, { types: ['order.placed'] });
    await system.place(OWNER);
    const { webhookEndpoints: endpoints } = faulty(system.store, (name) =>
      name === 'webhookEndpoints.commit' && receiver.messages.length <= ATTEMPTS_MAX ? 'unavailable' : null,
    );
    const [last, lost]: [boolean[], unknown[]] = [[], []];
    const observer = {
      attempted: ({ isLast }: ObservedAttempt) => last.push(isLast),
      leaseLost: () => lost.push(last.length),
    };
    system.start({ endpoints, observer });
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ attempts: attempt }]));
      system.advance(2 * 24 * 60 * 60 * 1000);
    }
    const failed = 'a webhook endpoint could not be disabled';
    await eventually(() => expect(system.log.map(({ message }) => message)).toContain(failed));
    expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'pending', attempts: ATTEMPTS_MAX - 1 }]);
    system.advance(LEASE_MS);
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'failed' }]));
    expect(await system.endpoint(OWNER, id)).toMatchObject({ disabled_reason: 'deliveries_failed' });
    expect(receiver.messages).toHaveLength(ATTEMPTS_MAX + 1);
    expect(last).toEqual([...Array.from({ length: ATTEMPTS_MAX - 1 }, () => false), true, true]);
    expect(lost).toEqual([]);
  });

  it('does not send a delivery that it has claimed too late for its lease', async () => {
    const system = aWorkerSystem();
    const { receiver } = await system.subscribed(OWNER);
    await system.place(OWNER);
    const correct = system.queueWith({});
    let late = 0;
    const queue = system.queueWith({
      claim: (...claims) =>
        correct.claim(...claims).map((claimed) => {
          if (claimed.length > 0) late = 50_000;
          return claimed;
        }),
    });
    let lost = 0;
    const timer = { ...systemTimer, now: () => performance.now() + late };
    system.start({ queue, timer, observer: { leaseLost: () => (lost += 1) } });
    await eventually(() => expect(lost + receiver.messages.length).toBe(1));
    expect(receiver.messages).toEqual([]);
    system.advance(LEASE_MS);
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
  });
});

describe('a worker that stops', () => {
  it('waits for running attempts and claims nothing more', async () => {
    const response = Promise.withResolvers<number>();
    const system = aWorkerSystem();
    const { receiver, id } = await system.subscribed(OWNER, () => response.promise);
    const order = await system.place(OWNER);
    await system.change(OWNER, order.id);
    const worker = system.start({ stopGraceMs: 60_000 });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const stopped = worker.stop();
    await system.place(OWNER);
    worker.wake(OWNER);
    response.resolve(204);
    await stopped;
    expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'pending' }, { status: 'delivered' }]);
    expect(receiver.messages).toHaveLength(1);
    expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 });
  });

  it('claims nothing after a fan-out that was running', async () => {
    const system = aWorkerSystem();
    const fanOut = Promise.withResolvers<FannedOut>();
    const begun = Promise.withResolvers<undefined>();
    const queue = system.queueWith({
      fanOut: () => {
        begun.resolve(undefined);
        return ResultAsync.fromSafePromise(fanOut.promise);
      },
      claim: () => expect.fail('something was claimed'),
    });
    const worker = system.start({ queue, stopGraceMs: 60_000 });
    worker.wake(OWNER);
    await begun.promise;
    const stopped = worker.stop();
    fanOut.resolve({ isMoreLeft: true, hasEndpoints: true });
    await stopped;
    expect(system.log).toEqual([]);
    expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 });
  });

  it('interrupts attempts that take too long, and releases them for the next worker', async () => {
    let isHanging = true;
    const system = aWorkerSystem();
    const { receiver, id } = await system.subscribed(OWNER, () => (isHanging ? HANG() : 204));
    for (let count = 0; count < 3; count += 1) await system.place(OWNER);
    const first = system.start();
    await eventually(() => expect(receiver.messages).toHaveLength(3));
    await first.stop();
    const released = { status: 'pending', attempts: 0, last_error: 'interrupted', last_status: null };
    expect(await system.deliveries(OWNER, id)).toMatchObject([released, released, released]);
    isHanging = false;
    // No lease has expired.
    system.start();
    await eventually(() => expect(receiver.accepted).toHaveLength(3));
  });

  it('ends although the store does not respond', async () => {
    const system = aWorkerSystem();
    const { receiver } = await system.subscribed(OWNER, HANG);
    await system.place(OWNER);
    const { webhookQueue: queue } = faulty(system.store, { 'webhookQueue.settle': 'hangs' });
    const worker = system.start({ queue });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const both = [worker.stop(), worker.stop()];
    await Promise.all(both);
    expect(both[0]).toBe(both[1]);
  });
});
