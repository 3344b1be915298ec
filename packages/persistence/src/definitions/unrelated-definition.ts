import type { OrderDefinition } from '@orders/domain';

/** What is compared of a definition. Not the type of its entity, which the published declarations would need MikroORM for. */
type Compared = Pick<OrderDefinition, 'lifecycle' | 'initial'>;

/** Error: the database has orders of another definition, or servers that would place them, even if it is still empty. */
export class UnrelatedDefinition extends Error {
  override readonly name = 'UnrelatedDefinition';

  constructor({ initial }: Compared, stored: Compared) {
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
export function areRelated(one: Compared, other: Compared): boolean {
  return Object.hasOwn(one.lifecycle, other.initial) || Object.hasOwn(other.lifecycle, one.initial);
}
