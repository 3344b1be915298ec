import { createDomain } from '@orders/domain';
import { consume, type FeedEvent } from '@orders/domain/events';
import { simulate, type SimulatedProcess, type Simulation, SimulationFailed } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../fixtures/a-domain.ts';

const SALE = { items: [{ sku: 'RYE', name: 'Rye', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }] };

/** A bakery that sells, and bakes what was sold. */
interface Bakery {
  readonly wanted: Set<number>;
  readonly sold: Set<number>;
  /** How often each order was baked. */
  readonly baked: Map<string, number>;
  readonly store: Simulation['store'];
}

interface Bugs {
  readonly hasKey?: boolean;
  readonly bakesAgain?: boolean;
}

function aBakery({ hasKey = true, bakesAgain = false }: Bugs = {}) {
  return ({ client, service, store }: Simulation): Bakery => {
    const bakery: Bakery = { wanted: new Set(), sold: new Set(), baked: new Map(), store };
    const { wanted, sold, baked } = bakery;
    client('counter', async (process) => {
      const { placeOrder } = createDomain(process);
      const sell = async (sale: number) => {
        const options = hasKey ? { idempotencyKey: `sale-${sale}` } : {};
        while ((await placeOrder(OWNER, SALE, options)).isErr()) await process.timer.pause(100);
        sold.add(sale);
      };
      for (const sale of wanted) if (!sold.has(sale)) await sell(sale);
      for (const sale of process.operations()) {
        wanted.add(sale);
        await sell(sale);
      }
    });
    service('oven', async ({ feed, checkpoints, effect, timer, signal }) => {
      const bake = (id: string) => {
        if (bakesAgain || !baked.has(id)) baked.set(id, (baked.get(id) ?? 0) + 1);
      };
      const handler = ({ resource }: FeedEvent) => effect('bake', () => bake(resource.id));
      await consume({ feed, checkpoints, owner: OWNER, name: 'oven', handler, timer, signal });
    });
    return bakery;
  };
}

const onceOnly = {
  'no order is baked twice': ({ baked }: Bakery) => [...baked.values()].every((times) => times === 1),
};
const complete = {
  'every sale is one order, which is baked': ({ wanted, baked, store }: Bakery) =>
    wanted.size === baked.size && store.events().length === wanted.size,
};

async function failureOf(running: Promise<unknown>): Promise<SimulationFailed> {
  const failed: unknown = await running.catch((cause: unknown) => cause);
  if (!(failed instanceof SimulationFailed)) throw new Error('the simulation did not fail', { cause: failed });
  return failed;
}

describe('a simulation', () => {
  it('passes a correct program through every kind of fault', async () => {
    const report = await simulate({ program: aBakery(), invariants: onceOnly, eventually: complete, seeds: 30 });
    expect(report).toMatchObject({ seeds: 30, operations: 900 });
    const kinds = ['crash', 'done_then_crash', 'done_then_unavailable', 'late', 'unavailable'];
    expect(Object.keys(report.faults).toSorted()).toEqual(kinds);
  });

  it.each([
    ['no order is baked twice', { bakesAgain: true }, /bake#1 done_then/],
    ['every sale is one order, which is baked', { hasKey: false }, /orders\.commit#1 done_then/],
  ])('fails when not "%s", and makes the failure small', async (condition, bugs, fault) => {
    const options = { program: aBakery(bugs), invariants: onceOnly, eventually: complete };
    const failed = await failureOf(simulate(options));
    expect(failed.condition).toBe(condition);
    expect(failed.replay.operations).toBeLessThanOrEqual(2);
    expect(failed.replay.faults.join()).toMatch(fault);
    expect(failed.replay.faults.length).toBeLessThanOrEqual(2);
    expect(failed.message).toContain(`seeds: [${failed.replay.seeds[0]}]`);
    const again = await failureOf(simulate({ ...options, ...failed.replay }));
    expect([again.condition, again.trace]).toEqual([condition, failed.trace]);
    // The faults are the reason.
    await simulate({ ...options, ...failed.replay, faults: [] });
  });

  const runs = (start: (process: SimulatedProcess) => Promise<void>, service = false) =>
    failureOf(
      simulate({
        program: (simulation) => {
          simulation[service ? 'service' : 'client']('it', start);
          if (service) simulation.client('other', () => Promise.resolve());
        },
        invariants: {},
        faults: [],
        seeds: 1,
      }),
    );

  it('fails when a process throws, waits for ever, goes on for ever, or a service ends', async () => {
    expect(await runs(() => Promise.reject(new Error('broken')))).toMatchObject({
      condition: 'it does not throw',
      cause: { message: 'broken' },
    });
    expect(await runs(() => new Promise(() => undefined))).toMatchObject({ condition: 'it can end' });
    const spinning = await runs(async ({ timer }) => {
      for (;;) await timer.pause(1000);
    });
    expect(spinning).toMatchObject({ condition: 'it can end' });
    const early = await runs(() => Promise.resolve(), true);
    expect(early.condition).toBe('it goes on');
    const forever = await runs(async ({ timer }) => {
      for (;;) await timer.pause(1000);
    }, true);
    expect(forever.condition).toBe('it ends');
  });

  it('says so when the program depends on more than its seed', async () => {
    let runsBefore = 0;
    const failed = await runs(() => {
      runsBefore += 1;
      return runsBefore === 1 ? Promise.reject(new Error('only once')) : Promise.resolve();
    });
    expect(failed.message).toContain('its replay does not fail');
  });

  it('gives each process a clock, ids and a part of the operations of its own', async () => {
    const numbers: number[] = [];
    const ids: string[] = [];
    const offsets = new Set<number>();
    await simulate({
      program: ({ client, clock: clockOfStore }) => {
        for (const name of ['a', 'b'])
          client(name, async ({ operations, ids: source, clock, timer }) => {
            offsets.add(clock.now().getTime() - clockOfStore.now().getTime());
            for (const number of operations()) {
              numbers.push(number);
              ids.push(source.next());
              await timer.pause(10);
            }
          });
      },
      invariants: {},
      operations: 20,
      faults: [],
      seeds: [5],
    });
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(new Set(ids).size).toBe(20);
    expect(offsets.size).toBe(2);
  });
});
