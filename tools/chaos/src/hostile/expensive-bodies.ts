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
  { body: '['.repeat(BODY_BYTES) },
  { changes: true, body: `{"metadata":${members(75_000, 'null')}}` },
  { body: orderWith(arrayOf('{}', BODY_BYTES - 200)) },
  { body: JSON.stringify(largestOrder()) },
  { body: members(90_000, '1') },
  { body: orderWith(`{"choices":${arrayOf('0', 400)}}`) },
  { body: orderWith(`{"records":${arrayOf('{}', 600)}}`) },
];

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

/** Returns an array that repeats `item`, of at most so many bytes. */
function arrayOf(item: string, bytes: number): string {
  const count = Math.floor((bytes - 1) / (item.length + 1));
  return `[${Array.from({ length: count }, () => item).join(',')}]`;
}

function members(count: number, value: string): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(',')}}`;
}
