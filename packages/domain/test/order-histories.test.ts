import { availableTransitions, type OrderDefinition, ORDERS } from '@orders/domain';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDomainOf, OTHER_OWNER, OWNER } from './a-domain.ts';
import { definitions } from './a-definition.ts';
import {
  change,
  type Expected,
  expectToAgree,
  type Histories,
  LONG_IDEMPOTENCY,
  type Patch,
  place,
  type Real,
  remove,
  repeat,
} from './order-history-model.ts';

type Step = fc.AsyncCommand<Histories, Real>;

/** Returns a step that changes model and domain, and then compares them. */
function step(
  words: string,
  take: (model: Histories, domain: Real) => Promise<void> | void,
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
  take: (model: Histories, domain: Real, order: Expected) => Promise<void>,
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
const custom = fc.option(fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('1', '2', null)));
const patch: fc.Arbitrary<Patch> = fc.record({ note, metadata, custom }, { requiredKeys: [] });

/** Returns the element of `all` at a random number, or `otherwise` if the list is empty. */
const pick = (all: readonly string[], at: number, otherwise: string): string => all[at % all.length] ?? otherwise;

/** A change to any status, which the lifecycle may not allow. */
const turn = fc
  .tuple(index, fc.nat())
  .map(([at, to]) =>
    stepOf(`status ${to} of`, at, (model, domain, order) =>
      change(model, domain, order, { status: pick(model.definition.statuses, to, order.status) }),
    ),
  );

/** A change to a status that the lifecycle allows, if there is one. */
const next = fc.tuple(index, fc.nat()).map(([at, to]) =>
  stepOf(`next ${to} of`, at, (model, domain, order) => {
    const allowed = availableTransitions<OrderDefinition, string>(order.status, model.definition);
    return change(model, domain, order, { status: pick(allowed, to, model.definition.initial) });
  }),
);

const steps = [
  fc
    .constantFrom(OWNER, OTHER_OWNER)
    .map((owner) => step(`place for ${owner}`, (model, domain) => place(model, domain, owner))),
  turn,
  turn,
  turn,
  next,
  next,
  next,
  next,
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

/** Runs random histories on domains of random definitions, and returns the event types of all histories. */
async function runHistories(
  open: (definition: OrderDefinition) => Real,
  ofDefinitions: fc.Arbitrary<OrderDefinition> = fc.constant(ORDERS),
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const histories = fc.commands(steps, { maxCommands: 40, size: 'max' });
  await fc.assert(
    fc.asyncProperty(ofDefinitions, histories, async (definition, history) => {
      const model: Histories = { definition, orders: [], accepted: [], events: [] };
      const domain = open(definition);
      await fc.asyncModelRun(() => ({ model, real: domain }), history);
      for (const { type } of domain.events()) seen.add(type);
    }),
    propertyRuns(150),
  );
  return seen;
}

const aDomain = (definition: OrderDefinition): Real => aDomainOf(definition, LONG_IDEMPOTENCY);

describe('the orders of two owners', () => {
  it('match the model for random commands, retries and clock changes', async () => {
    const seen = await runHistories(aDomain);
    // The random histories must contain every kind of event.
    expect([...seen].toSorted()).toEqual(ORDERS.eventTypes.toSorted());
  });

  it('match the model for random definitions, with 1 to 40 statuses and custom data', async () => {
    const seen = await runHistories(aDomain, definitions);
    expect(seen.size).toBeGreaterThan(20);
  });
});

describe('the comparison with the model', () => {
  const faults: readonly (readonly [string, (domain: Real) => Partial<Real>])[] = [
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
      'enters the first status instead of any other one',
      (domain) => ({
        changeOrder: (owner, id, patch, options) => {
          const { initial, lifecycle } = domain.definition;
          const first = lifecycle[initial]?.[0] ?? initial;
          const replaced = JSON.stringify(patch).replace(/"status":"[^"]*"/, `"status":"${first}"`);
          return domain.changeOrder(owner, id, JSON.parse(replaced), options);
        },
      }),
    ],
    [
      'loses the times of statuses',
      ({ getOrder, definition }) => ({
        getOrder: (owner, id) => getOrder(owner, id).map((order) => ({ ...order, ...definition.noTimes })),
      }),
    ],
  ];

  it.each(faults)('fails for a domain that %s', async (_, inject) => {
    const faulty = (definition: OrderDefinition): Real => {
      const domain = aDomain(definition);
      return { ...domain, ...inject(domain) };
    };
    await expect(runHistories(faulty)).rejects.toThrow('Property failed');
    await expect(runHistories(faulty, definitions)).rejects.toThrow('Property failed');
  });
});
