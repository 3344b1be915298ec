import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { OrderEvent } from '../orders/order-kind.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import type { OrderChange } from '../orders/order-patch.ts';
import type { OrderVersion } from '../orders/order-version.ts';
import type { AnyOrder } from '../orders/order.ts';
import { anOrder } from './builders.ts';
import { metadataOfBytes } from './metadata-of-bytes.ts';

export type { AnyOrder };

/** An event of {@link AnyOrder}. */
export type AnyOrderEvent = OrderEvent<OrderDefinition>;
/** A change of {@link AnyOrder}. */
export type AnyChange = OrderChange;
/** A version of {@link AnyOrder}. */
export type AnyVersion = OrderVersion<OrderDefinition>;

/** A note of one hundred bytes, in characters of two, three and four bytes. */
const NOTE = 'ü'.repeat(13) + '€'.repeat(22) + '😀'.repeat(2);

/** Custom data of one hundred bytes of JSON, which a serializer with spaces would make longer. */
const CUSTOM = { pieces: [1, 2.5, null, true], text: `${'é'.repeat(24)}"\n`, more: {} };

/** Orders of one definition, as the contracts make and change them. */
export interface OrderFixtures {
  readonly definition: OrderDefinition;

  /** Returns a valid order in the initial status with default values, which `order` overrides. */
  readonly anOrder: (order?: Partial<AnyOrder>) => AnyOrder;

  /** Returns free text of `bytes` bytes: metadata, and from 1,000 bytes a note and custom data if the definition has it. */
  readonly freeText: (bytes: number) => Partial<AnyOrder>;

  /** A change of a new order: to a further status, if there is one. Applied again, it changes nothing. */
  readonly advance: AnyChange;

  /** A change of an order after {@link advance}: to the cancel status or another one, if the lifecycle has it. */
  readonly advanceAgain: AnyChange;

  /** A status that {@link cancellation} is possible in. */
  readonly cancellable: string;

  /** A change to the cancel status; another change if the definition has only one status. */
  readonly cancellation: AnyChange;

  /** Type of the event of {@link advance}. */
  readonly advanced: AnyOrderEvent['type'];
}

/** Returns the orders of a definition. */
function orderFixtures(definition: OrderDefinition): OrderFixtures {
  const { lifecycle, initial, cancel, entries } = definition;
  const [next] = lifecycle[initial] ?? [];
  const targets = (next !== undefined && lifecycle[next]) || [];
  const after = targets.includes(cancel) ? cancel : targets[0];
  const toCancel = { status: cancel, cancel_reason: 'changed my mind' };
  const cancellable = definition.statuses.find((status) => lifecycle[status]?.includes(cancel));
  return {
    definition,
    anOrder: (order = {}) => anOrder<OrderDefinition>(order, definition),
    freeText: (bytes) => {
      if (bytes < 1000) return { metadata: metadataOfBytes(bytes) };
      const custom = definition.custom && { custom: CUSTOM };
      return { note: NOTE, ...custom, metadata: metadataOfBytes(bytes - (custom ? 200 : 100)) };
    },
    advance: next === undefined ? { note: 'advanced' } : { status: next },
    advanceAgain: after === undefined ? { note: 'advanced again' } : after === cancel ? toCancel : { status: after },
    cancellable: cancellable ?? initial,
    cancellation: cancellable === undefined ? { note: 'kept' } : toCancel,
    advanced: (next !== undefined && entries[next]?.event) || 'order.changed',
  };
}

/** The definition of the orders of a store, which may be left out if it is {@link ORDERS}. */
export type DefinitionOf<D extends OrderDefinition> = [D] extends [typeof ORDERS] ? [definition?: D] : [definition: D];

/** Returns the orders for a contract of a store. */
export function fixturesOf([definition = ORDERS]: readonly (OrderDefinition | undefined)[]): OrderFixtures {
  return orderFixtures(definition);
}
