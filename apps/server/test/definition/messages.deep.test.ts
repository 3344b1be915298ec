import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What each program has before it. Its orders are a definition of its own, with a name. */
const BEFORE = `import { availableTransitions, canBecome, type CancelOrderError, createDomain, defineOrders, exhaustive, type Order, ORDERS, type Ports, presentOrder } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { createOrdersClient, type OrdersClient } from '@orders/client';
const DEFINED = defineOrders({ lifecycle: { booked: ['paid', 'gone'], paid: ['done'], done: [], gone: [] }, initial: 'booked', cancel: 'gone' });
type Defined = typeof DEFINED;
export interface Rental extends Defined {}
const RENTAL: Rental = DEFINED;
const ports = { ...inMemoryStore({ definition: RENTAL }), clock: fixedClock(), ids: sequentialIds() };
const bare: Ports<Rental> = ports;
const domain = createDomain(ports);
const items = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }];
declare const client: OrdersClient<Rental>;
declare const order: Order<Rental>;
declare const error: CancelOrderError;
const lifecycle = { booked: ['done'], done: [] };
export const used = [availableTransitions, canBecome, exhaustive, ORDERS, presentOrder, openDatabase, createOrdersClient, bare, items, client, order, error, lifecycle];
`;

/** Wrong programs, each with the first line of its message, or a part of it that says what to do. */
const WRONG: readonly (readonly [program: string, message: string])[] = [
  [`defineOrders({ lifecycle, initial: 'booked', cancel: 'done' })`, 'or \\"as const\\" after it'],
  [
    `defineOrders({ lifecycle: { booked: ['done'], done: [], lost: [] }, initial: 'booked', cancel: 'done' })`,
    'no transitions lead from the initial status to this one',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['sold', 'done'], done: [] }, initial: 'booked', cancel: 'done' })`,
    'sold is no status of this definition',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['done'], done: ['lost'] }, initial: 'booked', cancel: 'done' })`,
    'lost is no status of this definition',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['booked', 'done'], done: [] }, initial: 'booked', cancel: 'done' })`,
    'a status does not lead to itself',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['done'], done: [] }, initial: 'booked', cancel: 'booked' })`,
    'a lifecycle of several statuses has another cancel than initial status',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['done'], done: [] }, initial: 'begun', cancel: 'done' })`,
    `'"booked" | "done"'`,
  ],
  [
    `defineOrders({ lifecycle: { booked: ['Done'], Done: [] }, initial: 'booked', cancel: 'Done' })`,
    'the name of a status is 1 to 30 of a-z, 0-9 and _, the first one a letter',
  ],
  [
    `defineOrders({ lifecycle: { booked: ['done'], done: ['booked'] }, initial: 'booked', cancel: 'done' })`,
    'a lifecycle needs a terminal status, which leads to none',
  ],
  [`createDomain(bare)`, 'Expected 2 arguments, but got 1.'],
  [`createDomain(ports, ORDERS)`, 'the ports are for orders of another definition'],
  [`createDomain(bare, ORDERS)`, 'the ports are for orders of another definition'],
  [`presentOrder(order, ORDERS)`, `'Order<Rental>' is not assignable to parameter of type`],
  [`(of: Order): Order<Rental> => of`, `'Order' is not assignable to type 'Order<Rental>'`],
  [`createDomain({ orders: ports.orders, customers: ports.customers })`, 'Ports<Rental>'],
  [
    `openDatabase({ url: '' }).transaction(async ({ domain }) => { await domain.getOrder('shop', ''); return 1; })`,
    '"return a promise of ok(…) or err(…)"',
  ],
  [`openDatabase({})`, 'WithUrlPoolOrOrm'],
  [
    `() => { switch (error.type) { case 'order_not_found': return 1; default: return exhaustive(error); } }`,
    `is not assignable to parameter of type 'never'`,
  ],
  [`() => error.type === 'order_not_found' && exhaustive(error)`, `'OrderNotFound' is not assignable`],
  [`domain.changeOrder('shop', '', { status: 'payed' })`, `'"booked" | "done" | "gone" | "paid" | undefined'`],
  [`domain.listOrders('shop', { status: ['pending'] })`, `'"booked" | "done" | "gone" | "paid"'`],
  [
    `domain.placeOrder('shop', { items: [{ ...items[0], quantity: '1' }] })`,
    `'string' is not assignable to type 'number'`,
  ],
  [
    `domain.placeOrder('shop', { items, adjustments: [{ type: 'discount', name: '', amount: { amount: 1, currency: 'EUR' } }] })`,
    '"the amount of a discount has the other sign"',
  ],
  [`canBecome('booked', 'sold', RENTAL)`, `'"booked" | "done" | "gone" | "paid"'`],
  [`availableTransitions('sold', RENTAL)`, `'"booked" | "done" | "gone" | "paid"'`],
  [`availableTransitions('delivered').includes('paid')`, `'"cancelled"'`],
  [`order.pending_at`, `does not exist on type 'Order<Rental>'`],
  [`client.change('', { status: 'payed' })`, `'"booked" | "done" | "gone" | "paid" | undefined'`],
  [`createOrdersClient({ credentials: { apiKey: '' } })`, `Property 'baseUrl' is missing`],
  [`domain.getOrder('shop', '').then((it): number => it._unsafeUnwrap())`, `'PresentedOrder<Rental>'`],
];

it('explains each wrong program in at most two lines, the first of which says what to do', async () => {
  const folder = await mkdtemp(join(import.meta.dirname, 'wrong-'));
  try {
    const file = join(folder, 'wrong.ts');
    const programs = WRONG.map(([program], index) => `export const w${index} = ${program};`);
    await writeFile(file, `${BEFORE}${programs.join('\n')}\n`);
    const first = BEFORE.split('\n').length;
    const messages = diagnosticsOf(file);
    expect([...messages.keys()].map((line) => line - first)).toEqual(WRONG.map((_, index) => index));
    for (const [index, [program, message]] of WRONG.entries()) {
      const lines = messages.get(first + index) ?? [];
      expect({ program, first: lines[0] }).toEqual({ program, first: expect.stringContaining(message) as unknown });
      expect({ program, lines: Math.max(2, lines.length) }).toEqual({ program, lines: 2 });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Compiles a file, and returns the lines of each message by the line of the file. */
function diagnosticsOf(file: string): ReadonlyMap<number, readonly string[]> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options =
    '--ignoreConfig --noEmit --pretty false --noErrorTruncation --strict --exactOptionalPropertyTypes --skipLibCheck';
  const modules = '--target es2024 --module nodenext --customConditions source --allowImportingTsExtensions';
  const args = [compiler, ...options.split(' '), ...modules.split(' '), '--types', 'node', file];
  let output = '';
  try {
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (cause) {
    output = String(Reflect.get(Object(cause), 'stdout'));
  }
  const found = new Map<number, string[]>();
  let last: string[] = [];
  for (const text of output.trimEnd().split('\n')) {
    const line = /wrong\.ts\((\d+),\d+\)/.exec(text)?.[1];
    if (line !== undefined) found.set(Number(line), (last = found.get(Number(line)) ?? []));
    last.push(text);
  }
  return found;
}
