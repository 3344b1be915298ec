import { createDomain, defineOrders, type InvalidField, type Ports } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { err, ok, type Result } from 'neverthrow';

/** What a bakery knows of an order besides its items. */
interface Baking {
  /** The time at which the order is collected. */
  readonly pick_up: string;
  readonly allergens: readonly string[];
}

function parseBaking(input: unknown): Result<Baking, readonly InvalidField[]> {
  if (typeof input !== 'object' || input === null)
    return err([{ field: '', code: 'wrong_type', message: 'must be an object' }]);
  const errors: InvalidField[] = [];
  const pick_up = 'pick_up' in input && typeof input.pick_up === 'string' ? input.pick_up : '';
  if (!/^\d\d:\d\d$/.test(pick_up))
    errors.push({ field: 'pick_up', code: 'invalid_format', message: 'must be a time such as 07:30' });
  const allergens: unknown = 'allergens' in input ? input.allergens : [];
  const isText = (value: unknown) => typeof value === 'string';
  if (!Array.isArray(allergens) || !allergens.every(isText))
    errors.push({ field: 'allergens', code: 'wrong_type', message: 'must be an array of strings' });
  const known: readonly unknown[] = Array.isArray(allergens) ? allergens : [];
  return errors.length > 0 ? err(errors) : ok({ pick_up, allergens: known.filter((one) => typeof one === 'string') });
}

/** The orders of a bakery, which can be cancelled until they are ready. */
export const BAKERY = defineOrders({
  lifecycle: {
    received: ['baking', 'cancelled'],
    baking: ['ready', 'cancelled'],
    ready: ['collected'],
    collected: [],
    cancelled: [],
  },
  initial: 'received',
  cancel: 'cancelled',
  custom: {
    parse: parseBaking,
    schema: {
      type: 'object',
      required: ['pick_up'],
      properties: {
        pick_up: { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}$' },
        allergens: { type: 'array', items: { type: 'string' } },
      },
    },
  },
});

/** Returns a domain of the bakery on an in-memory store. */
export function aBakery() {
  const store = inMemoryStore({ definition: BAKERY });
  const clock = fixedClock();
  const ports: Ports<typeof BAKERY> = { ...store, clock, ids: sequentialIds() };
  return { domain: createDomain(ports, BAKERY), store, clock };
}
