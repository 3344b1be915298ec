import { availableTransitions, type OrderStatus } from '@orders/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDomain, type DomainUnderTest, OWNER, STRANGER } from './a-domain.ts';
import {
  change,
  type Expected,
  expectToAgree,
  type Histories,
  KEYED_FOR_EVER,
  type Patch,
  place,
  remove,
  repeat,
} from './order-history-model.ts';

type Step = fc.AsyncCommand<Histories, DomainUnderTest>;

/** A step that is checked against the model, with all that must hold afterwards. */
function step(
  words: string,
  take: (model: Histories, domain: DomainUnderTest) => Promise<void> | void,
  check: (model: Readonly<Histories>) => boolean = () => true,
): Step {
  return {
    check,
    run: async (model, domain) => {
      await take(model, domain);
      await expectToAgree(model, domain);
    },
    toString: () => words,
  };
}

/** A step of the order that `index` counts out; there has to be one. */
function stepOf(
  words: string,
  index: number,
  take: (model: Histories, domain: DomainUnderTest, order: Expected) => Promise<void>,
): Step {
  return step(
    `${words} #${index}`,
    async (model, domain) => {
      const order = model.orders[index % model.orders.length];
      if (order) await take(model, domain, order);
    },
    ({ orders }) => orders.length > 0,
  );
}

const index = fc.nat({ max: 3 });
const note = fc.constantFrom(null, '', 'ring twice');
const metadata = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('1', '2', null));
const patch: fc.Arbitrary<Patch> = fc.record({ note, metadata }, { requiredKeys: [] });

const turn = (status: OrderStatus) =>
  index.map((at) => stepOf(status, at, (model, domain, order) => change(model, domain, order, { status })));

const steps = [
  fc
    .constantFrom(OWNER, STRANGER)
    .map((owner) => step(`place for ${owner}`, (model, domain) => place(model, domain, owner))),
  turn('paid'),
  turn('shipped'),
  turn('delivered'),
  turn('cancelled'),
  turn('pending'),
  ...[1, 2].map(() =>
    index.map((at) =>
      stepOf('next', at, (model, domain, order) =>
        change(model, domain, order, { status: availableTransitions(order.status)[0] ?? 'pending' }),
      ),
    ),
  ),
  fc
    .tuple(index, patch)
    .map(([at, fields]) =>
      stepOf(`patch ${fc.stringify(fields)}`, at, (model, domain, order) => change(model, domain, order, fields)),
    ),
  index.map((at) => stepOf('delete', at, remove)),
  fc.nat({ max: 30 }).map((at) =>
    step(
      `repeat ${at}`,
      (model, domain) => repeat(model, domain, at),
      ({ accepted }) => accepted.length > 0,
    ),
  ),
  fc
    .integer({ min: -3_600_000, max: 3_600_000 })
    .map((milliseconds) => step(`clock ${milliseconds}`, (_, { clock }) => clock.advance(milliseconds))),
];

/** Walks random histories through domains that `open` gives; tells what happened in them. */
async function walk(open: () => DomainUnderTest): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async (history) => {
      const model: Histories = { orders: [], accepted: [], events: [] };
      const domain = open();
      await fc.asyncModelRun(() => ({ model, real: domain }), history);
      for (const { type } of domain.events()) seen.add(type);
    }),
    // Always the same histories, so that what they reach is no matter of luck.
    { numRuns: 150, seed: 20_260_102 },
  );
  return seen;
}

describe('the orders of two owners', () => {
  it('have the histories of the model, whatever is asked in whatever order and however the clock goes', async () => {
    const seen = await walk(() => aDomain(KEYED_FOR_EVER));
    // Otherwise the histories went past what they are there to show.
    expect([...seen].toSorted()).toEqual([
      'order.cancelled',
      'order.changed',
      'order.deleted',
      'order.delivered',
      'order.paid',
      'order.placed',
      'order.shipped',
    ]);
  });
});

describe('the histories of the model', () => {
  const faults: readonly (readonly [string, (domain: DomainUnderTest) => Partial<DomainUnderTest>])[] = [
    ['shows orders to everyone', ({ getOrder }) => ({ getOrder: (_, id) => getOrder(OWNER, id) })],
    ['forgets keys', ({ changeOrder }) => ({ changeOrder: (owner, id, patch) => changeOrder(owner, id, patch) })],
    ['records events twice', (domain) => ({ events: () => domain.events().flatMap((event) => [event, event]) })],
    [
      'lets the last change follow the clock backwards',
      ({ getOrder, clock }) => ({
        getOrder: (owner, id) =>
          getOrder(owner, id).map((order) => ({ ...order, updated_at: clock.now().toISOString() })),
      }),
    ],
    [
      'pays what it was to ship',
      ({ changeOrder }) => ({
        changeOrder: (owner, id, patch, options) =>
          changeOrder(owner, id, JSON.parse(JSON.stringify(patch).replace('shipped', 'paid')), options),
      }),
    ],
  ];

  it.each(faults)('are not those of a domain that %s', async (_, plant) => {
    const faulty = (): DomainUnderTest => {
      const domain = aDomain(KEYED_FOR_EVER);
      return { ...domain, ...plant(domain) };
    };
    await expect(walk(faulty)).rejects.toThrow('Property failed');
  });
});
