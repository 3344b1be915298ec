import { type CustomData, defineOrders, type OrderDefinition, ORDER_STATUSES_MAX } from '@orders/domain';
import fc from 'fast-check';
import { ok } from 'neverthrow';

/** Custom data of any JSON. */
const ANYTHING: CustomData<unknown> = { parse: (input) => ok(input), schema: {} };

/** Names of statuses: some whose times have a column, one that every object has as a member, and others. */
const NAMES: readonly string[] = [
  'pending',
  'paid',
  'constructor',
  'delivered',
  'returned',
  'cancelled',
  'shipped',
  ...Array.from({ length: ORDER_STATUSES_MAX - 7 }, (_, at) => `status_${at}`),
];

/** A lifecycle as random numbers: for each status but the first, one that leads to it, then further transitions. */
const shapes = fc.record({
  rotation: fc.nat(),
  parents: fc.array(fc.nat(), { maxLength: ORDER_STATUSES_MAX - 1, size: 'max' }),
  further: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30, size: 'max' }),
  cancel: fc.nat(),
  hasCustom: fc.boolean(),
});

/** Definitions with 1 to 40 statuses in turned orders, with cycles and several terminal statuses. */
const definitions: fc.Arbitrary<OrderDefinition> = shapes.map(({ rotation, parents, further, cancel, hasCustom }) => {
  const count = parents.length + 1;
  const all = NAMES.slice(0, count);
  const names = [...all.slice(rotation % count), ...all.slice(0, rotation % count)];
  const nameOf = (at: number): string => names[at % count] ?? '';
  const table = new Map(names.map((name) => [name, new Set<string>()]));
  for (const [at, parent] of parents.entries()) table.get(nameOf(parent % (at + 1)))?.add(nameOf(at + 1));
  // The last status leads to none, so that there is always a terminal one.
  for (const [from, to] of further)
    if (from % count !== count - 1 && from % count !== to % count) table.get(nameOf(from))?.add(nameOf(to));
  return defineOrders({
    lifecycle: Object.fromEntries([...table].map(([name, targets]) => [name, [...targets]] as const)),
    initial: nameOf(0),
    cancel: nameOf(count === 1 ? 0 : 1 + (cancel % (count - 1))),
    ...(hasCustom && { custom: ANYTHING }),
  });
});

const row = Array.from({ length: ORDER_STATUSES_MAX }, (_, at) => `status_${at}_${'x'.repeat(20)}`);

/** Definitions at the limits of what can be defined, and generated ones, with names for titles of tests. */
export const SAMPLES: readonly (readonly [name: string, definition: OrderDefinition])[] = [
  ['one status', defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open', custom: ANYTHING })],
  [
    'statuses with and without columns, in a cycle',
    defineOrders({
      lifecycle: { open: ['paid', 'cancelled'], paid: ['open', 'returned'], returned: ['paid'], cancelled: [] },
      initial: 'open',
      cancel: 'cancelled',
    }),
  ],
  [
    'forty statuses with the longest names',
    defineOrders<Readonly<Record<string, readonly string[]>>, string, string, unknown>({
      lifecycle: Object.fromEntries(row.map((status, at) => [status, row.slice(at + 1, at + 2)])),
      initial: row[0] ?? '',
      cancel: row.at(-1) ?? '',
      custom: ANYTHING,
    }),
  ],
  ...fc
    .sample(definitions, { numRuns: 3, seed: 22 })
    .map((definition) => [`${definition.statuses.length} generated statuses`, definition] as const),
];
