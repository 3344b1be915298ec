import { type CustomData, defineOrders, type OrderDefinition, ORDER_STATUSES_MAX } from '@orders/domain';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { BAKERY } from './a-bakery.ts';

/** Custom data of any JSON. */
const ANYTHING: CustomData<unknown> = { parse: (input) => ok(input), schema: {} };

/** A lifecycle as random numbers: where each status is entered from, further transitions, and the place of `cancel`. */
const shapes = fc.record({
  parents: fc.array(fc.nat(), { maxLength: ORDER_STATUSES_MAX - 1, size: 'max' }),
  further: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60, size: 'max' }),
  cancel: fc.nat(),
  hasCustom: fc.boolean(),
});

/** Definitions with 1 to 40 statuses, with cycles and several terminal statuses. Half have custom data. */
export const definitions: fc.Arbitrary<OrderDefinition> = shapes.map(({ parents, further, cancel, hasCustom }) => {
  const count = parents.length + 1;
  const targets = Array.from({ length: count }, () => new Set<number>());
  // The last status is terminal, so that one always is. Each status is entered from one before it.
  const open = Math.max(1, count - 1);
  for (const [at, parent] of parents.entries()) targets[parent % Math.min(at + 1, open)]?.add(at + 1);
  for (const [from, to] of further) if (count > 1 && from % open !== to % count) targets[from % open]?.add(to % count);
  const name = (at: number) => `s${at}`;
  const lifecycle: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    targets.map((set, at) => [name(at), [...set].map(name)]),
  );
  return defineOrders({
    lifecycle,
    initial: name(0),
    cancel: name(count === 1 ? 0 : 1 + (cancel % (count - 1))),
    ...(hasCustom && { custom: ANYTHING }),
  });
});

const statuses = Array.from({ length: ORDER_STATUSES_MAX }, (_, at) => `status_${at}_${'x'.repeat(20)}`);

/** Definitions at the limits of what can be defined, and a few generated ones, with names for titles of tests. */
export const SAMPLES: readonly (readonly [name: string, definition: OrderDefinition])[] = [
  ['a bakery', BAKERY],
  ['one status', defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom: ANYTHING })],
  [
    'a cycle through the initial and the cancel status',
    defineOrders({ lifecycle: { open: ['done', 'void'], void: ['open'], done: [] }, initial: 'open', cancel: 'void' }),
  ],
  [
    'forty statuses in a row, with the longest names',
    defineOrders<Readonly<Record<string, readonly string[]>>, string, string, unknown>({
      lifecycle: Object.fromEntries(statuses.map((status, at) => [status, statuses.slice(at + 1, at + 2)])),
      initial: statuses[0] ?? '',
      cancel: statuses.at(-1) ?? '',
      custom: ANYTHING,
    }),
  ],
  ...fc
    .sample(definitions, { numRuns: 4, seed: 22 })
    .map((definition) => [`${definition.statuses.length} generated statuses`, definition] as const),
];
