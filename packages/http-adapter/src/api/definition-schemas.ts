import type { OrderDefinition } from '@orders/domain';
import { eventTypesOf } from '@orders/domain/events';
import { Type } from 'typebox';
import { openEnum } from './schemas.ts';

/** Makes a value once for each definition, so that every use of a schema is one component of the document. */
export function perDefinition<T>(make: (definition: OrderDefinition) => T): (definition: OrderDefinition) => T {
  const made = new WeakMap<OrderDefinition, { readonly value: T }>();
  return (definition) => {
    const known = made.get(definition) ?? { value: make(definition) };
    made.set(definition, known);
    return known.value;
  };
}

/** Maximum length of the type of a change, and of the name of a field. */
const NAME_LENGTH_MAX = 64;

/** Returns the characters of field names and event types: digits only if a status has one. */
function nameCharacters({ statuses }: OrderDefinition): string {
  return statuses.some((status) => /\d/.test(status)) ? 'a-z0-9_' : 'a-z_';
}

/** Returns the spelling of the names of an order's fields. */
export function fieldName(definition: OrderDefinition) {
  return { pattern: `^[${nameCharacters(definition)}]+$`, maxLength: NAME_LENGTH_MAX };
}

/** Returns the spelling of the types of events. */
export function eventTypeName(definition: OrderDefinition) {
  return { pattern: `^[a-z_]+\\.[${nameCharacters(definition)}]+$`, maxLength: NAME_LENGTH_MAX };
}

/** Returns the schema of a status. */
export const orderStatus = perDefinition(({ statuses }) =>
  Type.String({ enum: [...statuses], title: 'OrderStatus', description: 'Lifecycle status of the order' }),
);

/** Returns the schema of a set of statuses. */
export const statusSet = perDefinition((definition) =>
  Type.Array(orderStatus(definition), {
    maxItems: definition.statuses.length,
    description: 'Statuses that the order can change to',
  }),
);

/** Returns the name of the member with the time of the cancellation, which has an order once it is cancelled. */
export function cancelledAt({ cancel }: OrderDefinition): `${string}_at` {
  return `${cancel}_at`;
}

/** Returns the schema of the type of an event in responses and messages. */
export const eventType = perDefinition((definition) =>
  Type.String({
    title: 'EventType',
    ...openEnum(eventTypesOf(definition)),
    ...eventTypeName(definition),
    examples: ['order.placed'],
  }),
);

/** Returns the schema of event types in a request, of which at least one is chosen. */
export function eventTypeSet(definition: OrderDefinition, description: string) {
  const types = eventTypesOf(definition);
  const known = Type.String({ title: 'KnownEventType', enum: [...types] });
  return Type.Array(known, { minItems: 1, maxItems: types.length, description });
}
