import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What each program has before it. Its orders are a definition of its own, with a name. */
const BEFORE = `import { availableTransitions, canBecome, type CancelOrderError, createDomain, defineOrders, exhaustive, type Order, type Ports } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { createOrdersClient, type OrdersClient } from '@orders/client';
const DEFINED = defineOrders({ lifecycle: { asked: ['paid', 'gone'], paid: ['done'], done: [], gone: [] }, initial: 'asked', cancel: 'gone' });
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
const lifecycle = { asked: ['done'], done: [] };
export const used = [availableTransitions, canBecome, exhaustive, openDatabase, createOrdersClient, bare, items, client, order, error, lifecycle];
`;

/** Wrong programs, each with the first line of its message, or a part of it that says what to do. */
const WRONG: readonly (readonly [program: string, message: string])[] = [
  [`defineOrders({ lifecycle, initial: 'asked', cancel: 'done' })`, 'or \\"as const\\" after it'],
  [
    `defineOrders({ lifecycle: { asked: ['done'], done: [], lost: [] }, initial: 'asked', cancel: 'done' })`,
    'no transitions lead from the initial status to this one',
  ],
  [
    `defineOrders({ lifecycle: { asked: ['done'], done: [] }, initial: 'asked', cancel: 'asked' })`,
    'a lifecycle of several statuses has another cancel than initial status',
  ],
  [
    `defineOrders({ lifecycle: { asked: ['done'], done: [] }, initial: 'begun', cancel: 'done' })`,
    `'"asked" | "done"'`,
  ],
  [
    `defineOrders({ lifecycle: { asked: ['Done'], Done: [] }, initial: 'asked', cancel: 'Done' })`,
    'the name of a status is 1 to 30 of a-z, 0-9 and _, the first one a letter',
  ],
  [
    `defineOrders({ lifecycle: { asked: ['done'], done: ['asked'] }, initial: 'asked', cancel: 'done' })`,
    'a lifecycle needs a terminal status, which leads to none',
  ],
  [`createDomain(bare)`, 'Expected 2 arguments, but got 1.'],
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
  [`domain.changeOrder('shop', '', { status: 'payed' })`, `'"asked" | "done" | "gone" | "paid" | undefined'`],
  [`domain.listOrders('shop', { status: ['pending'] })`, `'"asked" | "done" | "gone" | "paid"'`],
  [
    `domain.placeOrder('shop', { items: [{ ...items[0], quantity: '1' }] })`,
    `'string' is not assignable to type 'number'`,
  ],
  [
    `domain.placeOrder('shop', { items, adjustments: [{ type: 'discount', name: '', amount: { amount: 1, currency: 'EUR' } }] })`,
    '"the amount of a discount has the other sign"',
  ],
  [`canBecome('asked', 'sold', RENTAL)`, `'"asked" | "done" | "gone" | "paid"'`],
  [`availableTransitions('sold', RENTAL)`, `'"asked" | "done" | "gone" | "paid"'`],
  [`availableTransitions('delivered').includes('paid')`, `'"cancelled"'`],
  [`order.pending_at`, `does not exist on type 'Order<Rental>'`],
  [`client.change('', { status: 'payed' })`, `'"asked" | "done" | "gone" | "paid" | undefined'`],
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
      expect(lines[0], program).toContain(message);
      expect(lines.length, program).toBeLessThanOrEqual(2);
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
