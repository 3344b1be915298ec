import { systemTimer, type Timer } from '@orders/domain/events';
import { faulty } from '@orders/domain/testing';
import { ATTEMPTS_MAX, type FannedOut, type WebhookQueue } from '@orders/domain/webhooks';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { HANG, startReceiver } from './receiver.ts';
import { aWorkerSystem, eventually, type WorkerSystem } from './worker-system.ts';

const OWNER = 'acme';
const LEASE_MS = 60_000;

/** Returns the queue of a system with some methods replaced. */
function queueOf({ store: { webhookQueue: queue } }: WorkerSystem, methods: Partial<WebhookQueue>): WebhookQueue {
  return {
    findDue: (limit, after) => queue.findDue(limit, after),
    fanOut: (owner) => queue.fanOut(owner),
    claim: (owner, limit) => queue.claim(owner, limit),
    settle: (owner, claimed, attempt, settlement) => queue.settle(owner, claimed, attempt, settlement),
    ...methods,
  };
}

describe('a worker whose store fails', () => {
  it.each(['findDue', 'fanOut', 'claim'] as const)('continues after failures of %s', async (method) => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    let failures = 0;
    const { [method]: correct } = queueOf(system, {});
    const failing = (...input: never[]): unknown => {
      failures += 1;
      if (failures > 4) return Reflect.apply(correct, undefined, input);
      if (failures % 2 === 0) throw new Error('a defect of the store');
      return errAsync({ type: 'unavailable', cause: new Error('no connection') });
    };
    const queue = queueOf(system, { [method]: failing });
    await system.subscribe(OWNER, receiver.url);
    await system.place(OWNER);
    let observed = 0;
    system.start({ queue, observer: { storeFailed: () => (observed += 1) } });
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
    expect(observed).toBe(4);
    expect(system.log.map(({ message, level }) => [level, message])).toEqual(
      Array.from({ length: 4 }, () => ['warn', 'the store of webhooks failed']),
    );
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
    expect(calls).toBeLessThan(100);
    expect(Math.max(...pauses.filter((ms) => ms !== 750))).toBe(2500);
  });

  it('records a result that the store rejected at first', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, receiver.url);
    await system.place(OWNER);
    let failures = 0;
    const correct = queueOf(system, {});
    const queue = queueOf(system, {
      settle: (...settled) => {
        failures += 1;
        if (failures === 1) return errAsync({ type: 'unavailable', cause: new Error('no connection') });
        if (failures === 2) throw new Error('a defect of the store');
        return correct.settle(...settled);
      },
    });
    system.start({ queue });
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'delivered' }]));
    expect(receiver.messages).toHaveLength(1);
    expect(failures).toBe(3);
  });

  it('leaves a delivery to the next worker if it ends between claim and result', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, receiver.url);
    const order = await system.place(OWNER);
    await system.change(OWNER, order.id);
    const correct = queueOf(system, {});
    let resume = (): void => undefined;
    const isResumed = new Promise<void>((resolve) => (resume = resolve));
    let [lost, claims] = [0, 0];
    // Its process stands still after the response of the receiver.
    const queue = queueOf(system, {
      claim: (owner, limit) => {
        claims += 1;
        return claims === 1 ? correct.claim(owner, limit) : okAsync([]);
      },
      settle: (...settled) => ResultAsync.fromSafePromise(isResumed).andThen(() => correct.settle(...settled)),
    });
    const first = system.start({ queue, observer: { leaseLost: () => (lost += 1) } });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const second = system.start();
    await eventually(async () => expect((await system.deliveries(OWNER, id))[1]).toMatchObject({ status: 'pending' }));
    expect(receiver.messages).toHaveLength(1);
    system.advance(LEASE_MS);
    await eventually(async () =>
      expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]),
    );
    expect(receiver.messages.map(({ version }) => version)).toEqual([1, 1, 2]);
    resume();
    await eventually(() => expect(lost).toBe(1));
    expect(first.state().inFlight + second.state().inFlight).toBe(0);
    expect(await system.deliveries(OWNER, id)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  it('disables a dead endpoint after the lease if that failed at first', async () => {
    await using receiver = await startReceiver(() => 503);
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, receiver.url, { types: ['order.placed'] });
    await system.place(OWNER);
    const { webhookEndpoints: endpoints } = faulty(system.store, (name) => {
      if (name !== 'webhookEndpoints.commit' || receiver.messages.length > ATTEMPTS_MAX) return null;
      return 'unavailable';
    });
    let lost = 0;
    system.start({ endpoints, observer: { leaseLost: () => (lost += 1) } });
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      await eventually(() => expect(receiver.messages).toHaveLength(attempt));
      if (attempt === ATTEMPTS_MAX) break;
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
    expect(lost).toBe(0);
  });

  it('does not send a delivery that it has claimed too late for its lease', async () => {
    await using receiver = await startReceiver();
    const system = aWorkerSystem();
    await system.subscribe(OWNER, receiver.url);
    await system.place(OWNER);
    const correct = queueOf(system, {});
    let late = 0;
    let isLate = false;
    const queue = queueOf(system, {
      claim: (...claims) =>
        correct.claim(...claims).map((claimed) => {
          if (claimed.length > 0 && !isLate) {
            isLate = true;
            late += 50_000;
          }
          return claimed;
        }),
    });
    let lost = 0;
    const timer = {
      now: () => performance.now() + late,
      random: () => 0,
      pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    };
    system.start({ queue, timer, observer: { leaseLost: () => (lost += 1) } });
    await eventually(() => expect(lost).toBe(1));
    expect(receiver.messages).toEqual([]);
    system.advance(LEASE_MS);
    await eventually(() => expect(receiver.accepted).toHaveLength(1));
  });
});

describe('a worker that stops', () => {
  it('waits for running attempts and claims nothing more', async () => {
    const responses: (() => void)[] = [];
    await using receiver = await startReceiver(
      () => (response) => void responses.push(() => response.writeHead(204).end()),
    );
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, receiver.url);
    const order = await system.place(OWNER);
    await system.change(OWNER, order.id);
    const worker = system.start({ stopGraceMs: 60_000 });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const stopped = worker.stop();
    await system.place(OWNER);
    worker.wake(OWNER);
    for (const respond of responses) respond();
    await stopped;
    const statuses = (await system.deliveries(OWNER, id)).map(({ status }) => status);
    expect(statuses.toReversed()).toEqual(['delivered', 'pending']);
    expect(receiver.messages).toHaveLength(1);
    expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 });
  });

  it('claims nothing after a fan-out that was running', async () => {
    const system = aWorkerSystem();
    const fanOut = Promise.withResolvers<FannedOut>();
    const begun = Promise.withResolvers<undefined>();
    let claims = 0;
    const correct = queueOf(system, {});
    const queue = queueOf(system, {
      fanOut: () => {
        begun.resolve(undefined);
        return ResultAsync.fromSafePromise(fanOut.promise);
      },
      claim: (...claim) => {
        claims += 1;
        return correct.claim(...claim);
      },
    });
    const worker = system.start({ queue, stopGraceMs: 60_000 });
    worker.wake(OWNER);
    await begun.promise;
    const stopped = worker.stop();
    fanOut.resolve({ isMoreLeft: true, hasEndpoints: true });
    await stopped;
    expect(claims).toBe(0);
    expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 });
  });

  it('interrupts attempts that take too long, and releases them for the next worker', async () => {
    let isHanging = true;
    await using receiver = await startReceiver(() => (isHanging ? HANG() : 204));
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, receiver.url);
    for (let count = 0; count < 3; count += 1) await system.place(OWNER);
    const errors: unknown[] = [];
    const first = system.start({ observer: { attempted: ({ error }) => errors.push(error) } });
    await eventually(() => expect(receiver.messages).toHaveLength(3));
    await first.stop();
    expect(errors).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect(await system.deliveries(OWNER, id)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        status: 'pending',
        attempts: 0,
        last_error: 'interrupted',
        last_status: null,
      })),
    );
    isHanging = false;
    // The clock stands still: no lease expires.
    system.start();
    await eventually(() => expect(receiver.accepted).toHaveLength(3));
  });

  it('ends although the store does not respond', async () => {
    await using receiver = await startReceiver(HANG);
    const system = aWorkerSystem();
    await system.subscribe(OWNER, receiver.url);
    await system.place(OWNER);
    const { webhookQueue: queue } = faulty(system.store, { 'webhookQueue.settle': 'hangs' });
    const worker = system.start({ queue });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const both = [worker.stop(), worker.stop()];
    await Promise.all(both);
    expect(both[0]).toBe(both[1]);
  });
});
