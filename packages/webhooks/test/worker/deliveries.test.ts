import type { ObservedAttempt } from '@orders/webhooks';
import { describe, expect, it } from 'vitest';
import { aWorkerSystem, eventually } from './worker-system.ts';

const OWNER = 'acme';
const DAY_MS = 24 * 60 * 60 * 1000;

describe('a worker', () => {
  it('delivers an event as a message of its type, time and data, when it is woken', async () => {
    const system = aWorkerSystem();
    const { receiver, id } = await system.subscribed(OWNER, undefined, { include: ['resource'] });
    // No background query runs during the test.
    const worker = system.start({ pollMs: 3_600_000, present: ({ resource, position }) => ({ resource, position }) });
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    const order = await system.place(OWNER);
    worker.wake(OWNER);
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const [message] = receiver.messages;
    const resource = { type: 'order', id: order.id, version: 1, data: order };
    expect(JSON.parse(message?.body ?? '')).toEqual({
      type: 'order.placed',
      timestamp: order.created_at,
      data: { resource, position: 1 },
    });
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'delivered' }]));
    expect((await system.deliveries(OWNER, id))[0]?.event_id).toBe(message?.id);
    await eventually(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
  });

  it('disables an endpoint that responds with 410 as gone', async () => {
    const system = aWorkerSystem();
    const { id } = await system.subscribe(OWNER, system.receiver(() => 410).url);
    await system.place(OWNER);
    system.start();
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ last_status: 410 }]));
    expect(await system.endpoint(OWNER, id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  });

  it('never ends the attempts of a delivery that it cannot send itself', async () => {
    const system = aWorkerSystem();
    const { id } = await system.subscribed(OWNER);
    await system.place(OWNER);
    let isBroken = true;
    system.start({
      present: (event) => {
        if (isBroken) throw new Error('a defect of this server');
        return event;
      },
    });
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      await eventually(async () =>
        expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'pending', attempts: attempt }]),
      );
      system.advance(2 * DAY_MS);
    }
    isBroken = false;
    await eventually(async () => expect(await system.deliveries(OWNER, id)).toMatchObject([{ status: 'delivered' }]));
    expect((await system.endpoint(OWNER, id)).status).toBe('enabled');
    expect(system.log[0]).toMatchObject({
      level: 'warn',
      message: 'a webhook could not be sent',
      details: { owner: OWNER, endpoint: id },
    });
  });

  it('logs failures by the ids of owner, endpoint and event alone', async () => {
    const system = aWorkerSystem();
    const receiver = system.receiver(() => 500);
    const { id } = await system.subscribe(OWNER, `${receiver.url}?token=hidden`);
    await system.place(OWNER);
    system.start();
    await eventually(() => expect(system.log).toHaveLength(1));
    const [delivery] = await system.deliveries(OWNER, id);
    expect(system.log).toEqual([
      {
        level: 'warn',
        message: 'a webhook was not accepted',
        details: {
          owner: OWNER,
          endpoint: id,
          event: delivery?.event_id,
          attempt: 1,
          status: 500,
          error: 'status_not_accepted',
        },
      },
    ]);
    expect(JSON.stringify(system.log)).not.toContain('hidden');
  });

  it('reports each attempt with its result, duration and lag', async () => {
    const system = aWorkerSystem();
    await system.subscribed(OWNER, ({ resource }) => (resource.version === 1 ? 204 : 500));
    const { id } = await system.place(OWNER);
    await system.change(OWNER, id);
    system.advance(5000);
    const attempts: ObservedAttempt[] = [];
    const due: number[] = [];
    system.start({ observer: { attempted: (one) => attempts.push(one), ownersDue: (count) => due.push(count) } });
    await eventually(() => expect(attempts).toHaveLength(2));
    expect(attempts).toMatchObject([
      { error: null, attempt: 1, isLast: true },
      { error: 'status_not_accepted', attempt: 1, isLast: false },
    ]);
    for (const { durationMs, lagMs } of attempts) {
      expect(durationMs).toBeGreaterThan(0);
      expect(lagMs).toBeGreaterThanOrEqual(5000);
    }
    expect(due[0]).toBe(1);
  });

  it('continues although its log, its observer and the presentation of an event fail', async () => {
    const system = aWorkerSystem();
    const { receiver } = await system.subscribed(OWNER);
    const [bad, good] = [await system.place(OWNER), await system.place(OWNER)];
    const fail = (): never => {
      throw new Error('broken');
    };
    const worker = system.start({
      log: { info: fail, warn: fail },
      observer: { attempted: fail, leaseLost: fail, disabled: fail, ownersDue: fail, storeFailed: fail },
      present: (event) => (event.resource.id === bad.id ? fail() : event),
    });
    await eventually(() => expect(receiver.accepted.map(({ resource }) => resource.id)).toEqual([good.id]));
    await eventually(() => expect(worker.state().inFlight).toBe(0));
  });
});
