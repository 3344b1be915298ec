import { describe, expect, it } from 'vitest';
import { fairQueue } from '../../../src/admission/rate-limits/fair-queue.ts';

/** Creates a queue, and records the order in which it admits and rejects. */
function aQueue(limits: Partial<Parameters<typeof fairQueue>[0]> = {}) {
  const queue = fairQueue({ concurrency: 1, waitMs: 60_000, waitingMax: 100, waitingMaxOfKey: 10, ...limits });
  const events: string[] = [];
  const enter = async (key: string, name = key) => {
    events.push(`${(await queue.enter(key)) ? 'admits' : 'rejects'} ${name}`);
  };
  /** Releases all admitted entries, one after the other. */
  const drain = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      queue.leave();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { ...queue, drain, enter, events };
}

describe('a fair queue', () => {
  it('admits immediately while it has room', async () => {
    const { enter, events, leave } = aQueue({ concurrency: 2 });
    await enter('a');
    await enter('b');
    leave();
    await enter('c');
    expect(events).toEqual(['admits a', 'admits b', 'admits c']);
  });

  it('admits keys in turn, and entries of one key in order', async () => {
    const { drain, enter, events } = aQueue();
    await enter('a', 'a0');
    const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name.charAt(0), name));
    await drain(6);
    await Promise.all(waiting);
    expect(events.map((event) => event.replace('admits ', ''))).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('rejects immediately above its limits per key and in total', async () => {
    const { drain, enter, events } = aQueue({ waitingMax: 3, waitingMaxOfKey: 2 });
    await enter('a', 'a0');
    const waiting = ['a1', 'a2'].map((name) => enter('a', name));
    await enter('a', 'a3');
    waiting.push(enter('b', 'b1'));
    await enter('c', 'c1');
    expect(events).toEqual(['admits a0', 'rejects a3', 'rejects c1']);
    await drain(4);
    await Promise.all(waiting);
    expect(events.slice(3)).toEqual(['admits a1', 'admits b1', 'admits a2']);
    await enter('a', 'a4');
    expect(events.at(-1)).toBe('admits a4');
  });

  it('rejects entries after the maximum wait, and frees their places', async () => {
    const { drain, enter, events } = aQueue({ waitMs: 20, waitingMax: 1 });
    await enter('a', 'a0');
    await enter('a', 'a1');
    const waiting = enter('b', 'b1');
    await drain(1);
    await waiting;
    expect(events).toEqual(['admits a0', 'rejects a1', 'admits b1']);
  });
});
