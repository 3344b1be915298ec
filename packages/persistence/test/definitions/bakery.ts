import { createDomain, defineOrders, type InvalidField, type OrderDefinition, untyped } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { fixedClock } from '@orders/domain/testing';
import { openDatabase, postgresStore } from '@orders/persistence';
import { err, ok, type Result } from 'neverthrow';
import { untilFinished } from '../fixtures/sessions.ts';

/** What a bakery knows of an order besides its items. */
interface Baking {
  readonly pick_up: string;
  readonly [detail: string]: unknown;
}

function parseBaking(input: unknown): Result<Baking, readonly InvalidField[]> {
  if (typeof input === 'object' && input !== null && 'pick_up' in input && typeof input.pick_up === 'string')
    return ok({ ...input, pick_up: input.pick_up });
  return err([{ field: 'pick_up', code: 'required', message: 'must be a time' }]);
}

const LIFECYCLE = {
  received: ['baking', 'cancelled'],
  baking: ['ready', 'cancelled'],
  ready: ['collected'],
  collected: [],
  cancelled: [],
} as const;

/** The orders of a bakery: statuses without a column for their times, and custom data. */
export const BAKERY = defineOrders({
  lifecycle: LIFECYCLE,
  initial: 'received',
  cancel: 'cancelled',
  custom: { parse: parseBaking, schema: { type: 'object', required: ['pick_up'] } },
});

/** The bakery of an earlier release, without `ready` and without custom data. */
export const EARLIER_BAKERY = defineOrders({
  lifecycle: { received: ['baking', 'cancelled'], baking: ['collected', 'cancelled'], collected: [], cancelled: [] },
  initial: 'received',
  cancel: 'cancelled',
});

export const ITEMS = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 450, currency: 'EUR' } }];

/** Opens a server on a database for the running test: its use cases and ports for orders of a definition. */
export function serverOf<D extends OrderDefinition>(url: string, definition: D) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const database = untilFinished(openDatabase({ url, definition, poolMax: 4, warn }));
  const { orders, customers, feed } = postgresStore(database);
  const clock = fixedClock('2026-01-02T03:04:05.678Z');
  const domain = createDomain<D>({ orders, customers, clock, ids: uuidv7Ids() }, definition);
  return { database, domain, untyped: untyped(domain), orders, feed, clock, warnings };
}
