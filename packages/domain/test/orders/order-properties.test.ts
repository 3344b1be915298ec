import { type AdjustmentType, ADJUSTMENT_TYPES, type Order } from '@orders/domain';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  aPlacedOrder,
  type DomainUnderTest,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const CURRENCY = 'EUR';
/** A line that is so dear that charges can exceed 2^53-1. */
const DEAR = { quantity: 9_007, amount: 1_000_000_000_000 };
const SIGNS: Readonly<Record<string, number>> = { discount: -1, refund: -1, shipping: 1, tax: 1, fee: 1 };

/** An adjustment. Items are indexes here; that of an unknown item is the number of items. */
interface Charge {
  readonly type: AdjustmentType;
  readonly amount: number;
  readonly currency: string;
  readonly item: number | null;
  readonly included: boolean;
}

type Lines = readonly { readonly quantity: number; readonly amount: number }[];
type Quantities = readonly { readonly item: number; readonly quantity: number }[];

/** A command. Fulfillments are indexes, too. What it does not take is empty; `null` is all that is open. */
interface Command {
  readonly name: 'adjust' | 'add' | 'fulfill' | 'return' | 'cancel_items' | 'cancel' | 'cancel_fulfillment';
  readonly quantities: Quantities | null;
  readonly charges: readonly Charge[];
  readonly lines: Lines;
  readonly fulfillment: number;
}

/** What the quantities and amounts of an order follow from. */
interface Facts {
  readonly isCancelled: boolean;
  readonly items: readonly Readonly<Record<'quantity' | 'price' | 'cancelled' | 'returned', number>>[];
  readonly charges: readonly Charge[];
  readonly fulfillments: readonly { readonly quantities: Quantities; readonly isCancelled: boolean }[];
}

function factsOf({ status, items, adjustments, fulfillments }: Order): Facts {
  const indexOf = (id: string) => items.findIndex((item) => item.id === id);
  return {
    isCancelled: status === 'cancelled',
    items: items.map(({ quantity, unit_price, cancelled_quantity: cancelled, returned_quantity: returned }) => ({
      quantity,
      price: unit_price.amount,
      cancelled,
      returned,
    })),
    charges: adjustments.map(({ type, amount: { amount, currency }, item_id, included }) => ({
      type,
      amount,
      currency,
      item: item_id === null ? null : indexOf(item_id),
      included,
    })),
    fulfillments: fulfillments.map(({ items: quantities, cancelled_at }) => ({
      quantities: quantities.map(({ item_id, quantity }) => ({ item: indexOf(item_id), quantity })),
      isCancelled: cancelled_at !== null,
    })),
  };
}

const quantityOf = (quantities: Quantities, item: number) =>
  quantities.reduce((sum, each) => (each.item === item ? sum + each.quantity : sum), 0);

/** Returns the quantities and amounts that follow from facts, computed without rounding. */
function sumsOf({ items, charges, fulfillments }: Facts) {
  const left = fulfillments.flatMap(({ isCancelled, quantities }) => (isCancelled ? [] : quantities));
  const lines = items.map(({ quantity, price, cancelled, returned }, item) => ({
    fulfilled: quantityOf(left, item),
    cancelled,
    returned,
    total: BigInt(price) * BigInt(quantity - cancelled),
  }));
  const subtotal = lines.reduce((sum, { total }) => sum + total, 0n);
  const total = charges.reduce((sum, { amount, included }) => (included ? sum : sum + BigInt(amount)), subtotal);
  return { lines, subtotal, total };
}

/** Returns the facts after a command that breaks no rule. */
function afterCommand(before: Facts, { name, quantities, charges, lines: added, fulfillment }: Command): Facts {
  const { lines } = sumsOf(before);
  const open = before.items.map(({ quantity, cancelled }, item) => ({
    item,
    quantity: quantity - cancelled - (lines[item]?.fulfilled ?? 0),
  }));
  const taken = quantities ?? open.filter(({ quantity }) => quantity > 0);
  const fulfilled = name === 'fulfill' ? [{ quantities: taken, isCancelled: false }] : [];
  const change = (item: number, at: Command['name']) => (name === at ? quantityOf(taken, item) : 0);
  return {
    isCancelled: before.isCancelled || name === 'cancel',
    items: [
      ...before.items.map(({ cancelled, returned, ...fixed }, item) => ({
        ...fixed,
        cancelled: cancelled + change(item, 'cancel_items'),
        returned: returned + change(item, 'return'),
      })),
      ...added.map(({ quantity, amount: price }) => ({ quantity, price, cancelled: 0, returned: 0 })),
    ],
    charges: [...before.charges, ...charges],
    fulfillments: [...before.fulfillments, ...fulfilled].map((each, at) =>
      name === 'cancel_fulfillment' && at === fulfillment ? { ...each, isCancelled: true } : each,
    ),
  };
}

/** Returns the errors of all rules that a command breaks. */
function errorsOf(before: Facts, command: Command): readonly string[] {
  const { name, quantities, charges, fulfillment } = command;
  const after = afterCommand(before, command);
  const { lines, subtotal, total } = sumsOf(after);
  const items = (quantities ?? []).map(({ item }) => item);
  const isUnknown = (item: number | null) => item !== null && item >= after.items.length;
  const sums = new Map<string, number>();
  for (const charge of after.charges) {
    const key = `${charge.type} ${charge.item} ${charge.included}`;
    sums.set(key, (sums.get(key) ?? 0) + charge.amount * (SIGNS[charge.type] ?? 0));
  }
  const mistaken = before.fulfillments[fulfillment];
  const rules: Readonly<Record<string, boolean>> = {
    validation_failed:
      [...items, ...charges.map(({ item }) => item)].some(isUnknown) ||
      new Set(items).size < items.length ||
      quantities?.some(({ quantity }) => quantity < 1) === true ||
      charges.some(({ type, included }) => included && type !== 'tax') ||
      (name === 'adjust' && charges.length === 0),
    order_already_cancelled: name === 'cancel' && before.isCancelled,
    order_not_modifiable: ['add', 'fulfill', 'cancel_items'].includes(name) && before.isCancelled,
    fulfillment_not_found: name === 'cancel_fulfillment' && mistaken === undefined,
    fulfillment_already_cancelled: name === 'cancel_fulfillment' && mistaken?.isCancelled === true,
    quantity_not_available:
      lines.some(({ fulfilled, cancelled, returned }, item) => {
        const quantity = after.items[item]?.quantity ?? 0;
        return fulfilled + cancelled > quantity || returned > fulfilled;
      }) ||
      (name === 'fulfill' && after.fulfillments.at(-1)?.quantities.length === 0),
    nothing_would_remain:
      name === 'cancel_items' && after.items.every(({ quantity, cancelled }) => cancelled >= quantity),
    currency_mismatch: charges.some(({ currency }) => currency !== CURRENCY),
    adjustment_sign: [...sums.values()].some((sum) => sum < 0),
    negative_total: total < 0n,
    amount_out_of_range: [subtotal, total].some((sum) => sum > BigInt(Number.MAX_SAFE_INTEGER)),
  };
  return Object.keys(rules).filter((error) => rules[error]);
}

/** Runs a command on an order. */
async function run(domain: DomainUnderTest, order: Order, command: Command) {
  const { name, quantities, charges, lines, fulfillment } = command;
  const count = order.items.length;
  const idOf = (item: number) => order.items[item]?.id ?? UNKNOWN_ID;
  const adjustments = charges.map(({ amount, currency, item, ...charge }) => ({
    ...charge,
    name: 'charge',
    amount: { amount, currency },
    ...(name === 'add' && item !== null && item >= count
      ? { item: item - count }
      : { item_id: item === null ? null : idOf(item) }),
  }));
  const items = quantities?.map(({ item, quantity }) => ({ item_id: idOf(item), quantity }));
  if (name === 'adjust') return await domain.adjustOrder(OWNER, order.id, { adjustments });
  if (name === 'add') return await domain.addItems(OWNER, order.id, { items: lines.map(aLineOf), adjustments });
  if (name === 'fulfill') return await domain.fulfillItems(OWNER, order.id, { items, adjustments });
  if (name === 'return') return await domain.returnItems(OWNER, order.id, { items, adjustments });
  if (name === 'cancel_items') return await domain.cancelOrder(OWNER, order.id, { items, adjustments });
  if (name === 'cancel') return await domain.cancelOrder(OWNER, order.id);
  return await domain.cancelFulfillment(OWNER, order.id, order.fulfillments[fulfillment]?.id ?? UNKNOWN_ID);
}

const UNRECORDED = ['version', 'updated_at', 'available_transitions'];

/** Returns the members that differ and are recorded as changed. */
function differing(before: Order, after: Order): readonly string[] {
  const differs = (name: string) =>
    JSON.stringify(Reflect.get(before, name)) !== JSON.stringify(Reflect.get(after, name));
  return Object.keys(after).filter((name) => !UNRECORDED.includes(name) && differs(name));
}

/** Returns what {@link sumsOf} returns for the facts of an order. */
const actualSumsOf = ({ items, subtotal, total }: Order) => ({
  lines: items.map((item) => ({
    fulfilled: item.fulfilled_quantity,
    cancelled: item.cancelled_quantity,
    returned: item.returned_quantity,
    total: BigInt(item.total.amount),
  })),
  subtotal: BigInt(subtotal.amount),
  total: BigInt(total.amount),
});

/** The commands, as often as they are tried. A return needs an earlier fulfillment. */
const NAMES = [
  'adjust',
  'adjust',
  'add',
  'fulfill',
  'fulfill',
  'fulfill',
  'return',
  'return',
  'cancel_items',
  'cancel_items',
  'cancel_fulfillment',
  'cancel_fulfillment',
] as const;
/** The commands that take quantities. */
const OF_ITEMS: ReadonlySet<string> = new Set(['fulfill', 'return', 'cancel_items']);

const often = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: other });
const seldom = often(fc.constant(false), fc.constant(true));
const sometimes = fc.constantFrom(true, false, false, false);

/** Returns an amount with the sign of a type, never -0. */
const amountOf = (type: AdjustmentType, size: number) => size * (SIGNS[type] ?? 1) + 0;

/** Generates lines of an order, and commands on it, most of which break no rule. */
const histories = fc.integer({ min: 1, max: 4 }).chain((count) => {
  const item = often(fc.nat(count - 1), fc.constant(count));
  const charge = fc
    .record({
      type: fc.constantFrom(...ADJUSTMENT_TYPES, ...(['tax', 'tax', 'tax'] as const)),
      size: often(fc.nat(3), fc.constantFrom(50, 1_000_000_000_000)),
      isReversal: sometimes,
      currency: often(fc.constant(CURRENCY), fc.constant('USD')),
      item: fc.option(item, { freq: 2 }),
      isIncluded: fc.boolean(),
      isMistake: seldom,
    })
    .map(({ size, isReversal, isIncluded, isMistake, ...rest }) => ({
      ...rest,
      amount: amountOf(rest.type, isReversal ? -size : size),
      included: isIncluded && (rest.type === 'tax' || isMistake),
    }));
  const quantity = often(fc.integer({ min: 1, max: 2 }), fc.constantFrom(0, 5));
  const some = fc.record({ item, quantity });
  const quantities = often(
    fc.uniqueArray(some, { minLength: 1, maxLength: 2, selector: (each) => each.item }),
    fc.tuple(some, some),
  );
  const line = fc.record({ quantity: fc.integer({ min: 1, max: 6 }), amount: fc.nat(3) });
  const dear = fc.oneof({ weight: 3, arbitrary: line }, { weight: 1, arbitrary: fc.constant(DEAR) });
  const charges = often(fc.array(charge, { minLength: 1, maxLength: 2 }), fc.array(charge, { maxLength: 0 }));
  const command = fc
    .record({
      name: often(fc.constantFrom(...NAMES), fc.constant('cancel' as const)),
      quantities,
      charges,
      lines: fc.array(dear, { minLength: 1, maxLength: 2 }),
      isFree: fc.boolean(),
      fulfillment: fc.nat(1),
      isOfAll: sometimes,
    })
    .map(({ name, isOfAll, isFree, lines, ...rest }) => ({
      ...rest,
      name,
      lines: name === 'add' ? lines : [],
      quantities: name === 'fulfill' && isOfAll ? null : OF_ITEMS.has(name) ? rest.quantities : [],
      charges: name === 'adjust' || ((name === 'add' || OF_ITEMS.has(name)) && !isFree) ? rest.charges : [],
    }));
  return fc.record({
    lines: fc
      .tuple(dear, fc.array(line, { minLength: count - 1, maxLength: count - 1 }))
      .map(([one, more]) => [one, ...more]),
    commands: fc.array(command, { minLength: 1, maxLength: 12 }),
  });
});

const aLineOf = ({ quantity, amount }: { readonly quantity: number; readonly amount: number }) =>
  aLine({ quantity, unit_price: { amount, currency: CURRENCY } });

/** As many runs have every outcome. */
const RUNS = 200;

/** The commands, if they succeed, and their errors. */
const OUTCOMES = [
  'adjust',
  'add',
  'fulfill',
  'return',
  'cancel_items',
  'cancel',
  'cancel_fulfillment',
  'validation_failed',
  'currency_mismatch',
  'adjustment_sign',
  'negative_total',
  'amount_out_of_range',
  'quantity_not_available',
  'nothing_would_remain',
  'order_not_modifiable',
  'order_already_cancelled',
  'fulfillment_not_found',
  'fulfillment_already_cancelled',
];

describe('a sequence of commands on an order', () => {
  it('keeps every rule of quantities and amounts, and rejects exactly what breaks one', async () => {
    const runs = propertyRuns(RUNS);
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(histories, async ({ lines, commands }) => {
        const domain = aDomain();
        let order = await aPlacedOrder(domain, { items: lines.map(aLineOf) });
        const versions = [order];
        const events = domain.events().slice();
        for (const command of commands) {
          const facts = factsOf(order);
          const errors = errorsOf(facts, command);
          const result = await run(domain, order, command);
          const { after, event, error } = result.match(
            (written) => ({ after: written.order, event: written.event, error: null }),
            ({ type }) => ({ after: order, event: null, error: type }),
          );
          outcomes.add(error ?? command.name);
          expect(errors.length === 0 ? [null] : errors).toContain(error);
          const expected = error === null ? afterCommand(facts, command) : facts;
          expect({
            facts: factsOf(after),
            sums: actualSumsOf(after),
            version: after.version,
            changed: event?.changed.toSorted() ?? [],
          }).toEqual({
            facts: expected,
            sums: sumsOf(expected),
            version: order.version + (error === null ? 1 : 0),
            changed: differing(order, after).toSorted(),
          });
          if (event === null) continue;
          order = after;
          versions.push(order);
          events.push(event);
        }
        const { data } = await succeeds(domain.listOrderVersions(OWNER, order.id));
        expect(data.map((version) => version.order).toReversed()).toEqual(versions);
        expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
        expect(domain.events()).toEqual(events);
        const { order: imported } = await succeeds(aDomain().importOrder(OWNER, order));
        expect(JSON.stringify(imported)).toBe(JSON.stringify(order));
      }),
      runs,
    );
    expect(OUTCOMES.filter((outcome) => runs.numRuns >= RUNS && !outcomes.has(outcome))).toEqual([]);
  });
});
