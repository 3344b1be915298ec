import { systemTimer } from '@orders/domain/events';
import { describe, expect, it } from 'vitest';
import { OwnerPace } from '../../src/worker/attempt-slots.ts';
import { aWorkerSystem, eventually } from './worker-system.ts';

describe('the pace of an owner', () => {
  it('has no gaps while no other owner is served', () => {
    const pace = new OwnerPace(250);
    expect([0, 1, 2, 5000].map((now) => pace.gapAfter('a', now))).toEqual([0, 0, 0, 0]);
  });

  it('has gaps for a second after another owner was served', () => {
    const pace = new OwnerPace(250);
    pace.gapAfter('b', 0);
    expect([1, 500, 999, 1000, 5000].map((now) => pace.gapAfter('a', now))).toEqual([4, 4, 4, 0, 0]);
    expect(pace.gapAfter('b', 5001)).toBe(4);
  });
});

/** A timer whose clock stands still, and whose pauses end when the test says so. */
function aHeldTimer() {
  const held = new Map<() => void, number>();
  const timer = {
    ...systemTimer,
    now: () => 0,
    pause: (ms: number, signal?: Parameters<typeof systemTimer.pause>[1]) =>
      new Promise<void>((resolve) => {
        held.set(resolve, ms);
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  const pauses = () => [...held.values()].filter((ms) => ms < 1000);
  const release = (): void => {
    for (const [resolve, ms] of held) {
      if (ms >= 1000) continue;
      held.delete(resolve);
      resolve();
    }
  };
  return { timer, pauses, release };
}

describe('a worker with many due deliveries of one owner', () => {
  it('makes them one after the other at the pace while it serves another owner', async () => {
    const system = aWorkerSystem();
    const [busy, other] = [system.receiver(), system.receiver()];
    await system.subscribe('busy', busy.url);
    await system.subscribe('other', other.url);
    const { timer, pauses, release } = aHeldTimer();
    const worker = system.start({ pollMs: 3_600_000, attemptsPerOwnerPerSecond: 100, timer });
    await system.place('other');
    worker.wake('other');
    await eventually(() => expect(other.accepted).toHaveLength(1));
    for (let count = 0; count < 20; count += 1) await system.place('busy');
    worker.wake('busy');
    // Eight are claimed. The first one is made at once, and the next claim waits for its turn.
    await eventually(() => expect(pauses()).toEqual([10, 20, 30, 40, 50, 60, 70, 80]));
    await eventually(() => expect(busy.accepted).toHaveLength(1));
    await eventually(() => expect(worker.state().inFlight).toBe(7));
    await system.place('other');
    worker.wake('other');
    await eventually(() => expect(other.accepted).toHaveLength(2));
    expect(busy.messages).toHaveLength(1);
    await eventually(() => {
      release();
      expect(busy.accepted).toHaveLength(20);
    });
  });
});
