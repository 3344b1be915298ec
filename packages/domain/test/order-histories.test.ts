import { availableTransitions, type OrderStatus } from '@orders/domain';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDomain, type DomainUnderTest, OTHER_OWNER, OWNER } from './a-domain.ts';
import {
  change,
  type Expected,
  expectToAgree,
  type Histories,
  LONG_IDEMPOTENCY,
  type Patch,
  place,
  remove,
  repeat,
} from './order-history-model.ts';

type Step = fc.AsyncCommand<Histories, DomainUnderTest>;

/** Returns a step that changes model and domain, and then compares them. */
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

/** Returns a step on one order of the model, chosen by `index`. It requires at least one order. */
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
    .constantFrom(OWNER, OTHER_OWNER)
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

/** Runs random histories on domains that `open` creates, and returns the event types of all histories. */
async function readAllPages(open: () => DomainUnderTest): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async (history) => {
      const model: Histories = { orders: [], accepted: [], events: [] };
      const domain = open();
      await fc.asyncModelRun(() => ({ model, real: domain }), history);
      for (const { type } of domain.events()) seen.add(type);
    }),
    propertyRuns(150),
  );
  return seen;
}

describe('the orders of two owners', () => {
  it('match the model for random commands, retries and clock changes', async () => {
    const seen = await readAllPages(() => aDomain(LONG_IDEMPOTENCY));
    // The random histories must contain every kind of event.
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

describe('the comparison with the model', () => {
  const faults: readonly (readonly [string, (domain: DomainUnderTest) => Partial<DomainUnderTest>])[] = [
    ['returns orders to every owner', ({ getOrder }) => ({ getOrder: (_, id) => getOrder(OWNER, id) })],
    ['ignores keys', (domain) => ({ changeOrder: (owner, id, patch) => domain.changeOrder(owner, id, patch) })],
    ['records events twice', (domain) => ({ events: () => domain.events().flatMap((event) => [event, event]) })],
    [
      'lets updated_at run backwards with the clock',
      ({ getOrder, clock }) => ({
        getOrder: (owner, id) =>
          getOrder(owner, id).map((order) => ({ ...order, updated_at: clock.now().toISOString() })),
      }),
    ],
    [
      'loses the last change of an order in its versions',
      ({ listOrderVersions }) => ({
        listOrderVersions: (owner, id, input) =>
          listOrderVersions(owner, id, input).map(({ data, next }) => ({
            data: data.map((version, index) => ({ ...version, order: data[Math.max(index, 1)]?.order ?? null })),
            next,
          })),
      }),
    ],
    [
      'ignores the time in a list of versions',
      ({ listOrderVersions }) => ({
        listOrderVersions: (owner, id, input) => listOrderVersions(owner, id, { ...input, at: undefined }),
      }),
    ],
    [
      'pays an order instead of shipping it',
      (domain) => ({
        changeOrder: (owner, id, patch, options) =>
          domain.changeOrder(owner, id, JSON.parse(JSON.stringify(patch).replace('shipped', 'paid')), options),
      }),
    ],
  ];

  it.each(faults)('fails for a domain that %s', async (_, inject) => {
    const faulty = (): DomainUnderTest => {
      const domain = aDomain(LONG_IDEMPOTENCY);
      return { ...domain, ...inject(domain) };
    };
    await expect(readAllPages(faulty)).rejects.toThrow('Property failed');
  });
});
