import { random } from '@orders/property-runs/random';
import { HOSTILE_VALUES } from '../../../../packages/http-adapter/test/hostile/large-json.ts';

/** Maximum size of a body, in bytes, as shipped. */
const BODY_BYTES = 1024 * 1024;

const LONG = 'x'.repeat(255);

const ITEM = '{"sku":"X","name":"X","quantity":1,"unit_price":{"amount":1,"currency":"EUR"}}';

const ALTERNATIVES = 60;

const names = Array.from({ length: ALTERNATIVES }, (_, index) => `n${index}`);

/** A definition of orders whose custom data are arrays, each of whose items can have 60 errors. They are limited first. */
export const DEFINITION = `
const names = ${JSON.stringify(names)};
export default ({ defineOrders, customFrom, z }) => {
  const arrayOf = (item) => z.array(z.unknown()).max(200).pipe(z.array(item)).optional();
  const record = z.object(Object.fromEntries(names.map((name) => [name, z.unknown().refine((value) => value !== undefined)])));
  const choice = z.union(names.map((name) => z.literal(name)));
  return defineOrders({
    lifecycle: { pending: ['cancelled'], cancelled: [] },
    initial: 'pending',
    cancel: 'cancelled',
    custom: customFrom(z.object({ choices: arrayOf(choice), records: arrayOf(record) })),
  });
};
`;

/**
 * Bodies that a server rejects, or has little to do for once they are read: of the largest size, the largest order, and those
 * whose custom data have the greatest number of errors. One `changes` an order, the others place one.
 */
export const EXPENSIVE_BODIES: readonly { readonly changes?: boolean; readonly body: string }[] = [
  { body: large('open brackets') },
  { changes: true, body: `{"metadata":${large('null members')}}` },
  { body: orderWith(large('copies of a valid element', [{}])) },
  { body: JSON.stringify(largestOrder()) },
  { body: large('members') },
  { body: orderWith(JSON.stringify({ choices: Array(200).fill(0) })) },
  { body: orderWith(JSON.stringify({ records: Array(200).fill({}) })) },
];

/** Returns a value of one of the families that the benchmark of hostile requests sends too, close to the limit of bodies. */
function large(family: string, valid: unknown = null): string {
  return HOSTILE_VALUES[family]?.(random(1), BODY_BYTES - 200, valid) ?? '';
}

/** Returns the order that has the most to read, to price and to store. */
export function largestOrder() {
  const money = { amount: 1000, currency: 'EUR' };
  const items = Array.from({ length: 100 }, () => ({
    sku: LONG.slice(0, 64),
    name: LONG,
    quantity: 1_000_000,
    unit_price: money,
  }));
  const adjustments = items.map((_, item) => ({ type: 'shipping', name: LONG, amount: money, item }));
  return { items, adjustments };
}

function orderWith(custom: string): string {
  return `{"items":[${ITEM}],"custom":${custom}}`;
}
