import { createDomain, defineOrders, type OrderDefinition } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { openDatabase, postgresStore } from '@orders/persistence';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planDefinition } from '../../src/definition/plan-definition.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];

const MIDDLE = ['paid', 'sent', 'kept'];

interface Drawn {
  readonly middle: readonly string[];
  /** Whether there is a transition beside those of the chain, from and to each status. */
  readonly jumps: readonly boolean[];
  readonly closed: readonly string[];
}

/** A definition whose statuses are a chain, with jumps. */
function toDefinition({ middle, jumps, closed }: Drawn): OrderDefinition {
  const chain = ['booked', ...middle, 'gone'];
  const rows = chain.map((from, at): [string, string[]] => [
    from,
    from === 'gone'
      ? []
      : chain.filter((to, index) => to !== from && (index === at + 1 || jumps[(at * 5 + index) % jumps.length])),
  ]);
  return defineOrders({
    lifecycle: Object.fromEntries(rows),
    initial: 'booked',
    cancel: 'gone',
    requires: Object.fromEntries(chain.filter((each) => closed.includes(each)).map((each) => [each, [each]])),
  });
}

const aDraw = fc.record({
  middle: fc.subarray(MIDDLE),
  jumps: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  closed: fc.subarray([...MIDDLE, 'gone']),
});

/** Half of the pairs have the same statuses. */
const aPair = fc
  .tuple(aDraw, aDraw, fc.boolean())
  .map(
    ([old, next, same]) => [toDefinition(old), toDefinition(same ? { ...next, middle: old.middle } : next)] as const,
  );

/**
 * Moves orders into every status that they can enter by the servers of both definitions, and reads each by both. Returns
 * whether an order was unavailable.
 */
async function isUnavailableMeanwhile(url: string, definitions: readonly OrderDefinition[]): Promise<boolean> {
  const servers = definitions.map((definition) => {
    const database = openDatabase({ url, definition, poolMax: 1, warn: () => undefined });
    const domain = createDomain({ ...postgresStore(database), clock: systemClock, ids: uuidv7Ids() }, definition);
    return { database, domain };
  });
  const [first] = servers;
  if (!first) throw new Error('there are two servers');
  type Step = readonly [server: (typeof servers)[number], status: string];
  /** Moves a new order by steps, and returns how the last one ended. */
  const move = async (steps: readonly Step[]): Promise<'moved' | 'refused' | 'unavailable'> => {
    const { id } = (await first.domain.placeOrder('shop', { items }))._unsafeUnwrap().order;
    let isMoved = false;
    for (const [by, status] of steps) isMoved = (await by.domain.changeOrder('shop', id, { status })).isOk();
    const reads = await Promise.all(servers.map(({ domain }) => domain.getOrder('shop', id)));
    if (reads.some((read) => read.isErr() && read.error.type === 'unavailable')) return 'unavailable';
    return isMoved ? 'moved' : 'refused';
  };
  const meet = async (): Promise<boolean> => {
    const paths = new Map<string, readonly Step[]>([['booked', []]]);
    for (const [status, path] of paths) {
      const targets = servers.flatMap((server) =>
        (server.domain.definition.lifecycle[status] ?? []).map((target): Step => [server, target]),
      );
      for (const step of targets) {
        const end = await move([...path, step]);
        if (end === 'unavailable') return true;
        if (end === 'moved' && !paths.has(step[1])) paths.set(step[1], [...path, step]);
      }
    }
    return false;
  };
  try {
    return await meet();
  } finally {
    for (const { database } of servers) await database.close();
  }
}

it('says that servers side by side are safe exactly when no order is unavailable to one of them', async () => {
  const { url } = await aDatabase();
  const counts = { safe: 0, unsafe: 0 };
  await fc.assert(
    fc.asyncProperty(aPair, async ([old, next]) => {
      const { rolling } = planDefinition(old, next);
      counts[rolling] += 1;
      expect(await isUnavailableMeanwhile(url, [old, next])).toBe(rolling === 'unsafe');
    }),
    { numRuns: 24 },
  );
  expect(Math.min(counts.safe, counts.unsafe)).toBeGreaterThan(2);
});
