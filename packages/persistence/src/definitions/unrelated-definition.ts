import type { OrderDefinition } from '@orders/domain';
import type { StoredDefinition } from '../tables/order-definition-entity.ts';

/** Error: the database has orders of another definition, or servers that would place them, even if it is still empty. */
export class UnrelatedDefinition extends Error {
  override readonly name = 'UnrelatedDefinition';

  constructor({ initial }: OrderDefinition, stored: StoredDefinition) {
    super(
      `the database is for orders that begin as "${stored.initial}", a status that this definition of orders lacks, ` +
        `as that one lacks "${initial}". Use another database, or let one definition have both statuses`,
    );
  }
}

/**
 * Checks whether one of two definitions can follow the other on a live database: one has the initial status of the other.
 * Orders in statuses that were removed are counted apart.
 */
export function areRelated(one: StoredDefinition, other: StoredDefinition): boolean {
  return Object.hasOwn(one.lifecycle, other.initial) || Object.hasOwn(other.lifecycle, one.initial);
}
