import type { Owner } from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import type { OwnerRange } from '../owners/living-owners.ts';
import { prepareQuery, type Statement } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';

/** The same query about a range of owners, and about one owner. */
export interface OfOwners<Row> {
  readonly ofRange: Statement<OwnerRange, Row>;
  readonly ofOwner: Statement<{ readonly owner_id: Owner }, Row>;
}

/**
 * Prepares a query about endpoints `e`. It uses `owner` for their owner in every table: Citus executes the query about one
 * owner on one node only if each has this value.
 */
export function ofOwners<Row>(orm: Orm, build: (owner: Sql, isIncluded: Sql) => Sql<Row>): OfOwners<Row> {
  return {
    ofRange: prepareQuery(orm, (p) =>
      build(sql`e.owner_id`, sql`e.owner_id > ${p('after')} and e.owner_id <= ${p('until')}`),
    ),
    ofOwner: prepareQuery(orm, (p) => {
      const owner = p('owner_id');
      return build(owner, sql`e.owner_id = ${owner}`);
    }),
  };
}
