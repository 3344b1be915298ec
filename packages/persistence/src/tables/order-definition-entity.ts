import { createHash } from 'node:crypto';
import type { OrderDefinition } from '@orders/domain';
import { entity } from './entity.ts';

/** What is stored of a definition of orders. */
export type StoredDefinition = Pick<OrderDefinition, 'lifecycle' | 'initial' | 'cancel'>;

/** A definition of orders that servers have used. There is one row for each, of at most some 50 kB. */
export const OrderDefinitionEntity = entity({
  name: 'OrderDefinition',
  tableName: 'order_definitions',
  properties: (p) => ({
    digest: p.text().collation('C').primary(),
    definition: p.json<StoredDefinition>().columnType('json'),
    /** The time at which a server used it first. */
    created_at: p.timestamp(),
  }),
});

/**
 * Returns the SHA-256 of what a definition says: its lifecycle, its initial and cancel status, and the schema of custom
 * data. The order in which statuses, transitions and members are listed makes no difference, nor do guards and `requires`,
 * whose orders every server reads.
 */
export function definitionDigest({ lifecycle, initial, cancel, custom }: OrderDefinition): string {
  const table: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(lifecycle).map(([status, targets]) => [status, targets.toSorted()]),
  );
  const said = { lifecycle: table, initial, cancel, custom: custom && custom.schema };
  return createHash('sha256').update(JSON.stringify(said, sortMembers)).digest('base64url');
}

/** Sorts the members of each object, as the second argument of `JSON.stringify`. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
