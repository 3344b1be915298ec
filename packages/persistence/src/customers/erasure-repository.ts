import {
  type EmailErasure,
  ERASING_MAX,
  type ErasureRepository,
  type FoundErasure,
  type Owner,
  type PendingErasure,
  type Timestamp,
} from '@orders/domain';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { columnNames, columnsOf } from '../sql/columns.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import { ErasureEntity, IS_PENDING } from '../tables/erasure-entity.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import { aggregateStore } from '../writes/aggregate-store.ts';
import type { Target } from '../writes/write-functions.ts';
import { ERASURE_TABLE } from './erasure-kind.ts';

type ErasureRow = Omit<EmailErasure, 'status'>;

/** A pending erasure as the driver returns it. */
export interface FoundErasureRow extends PendingErasure {
  readonly is_customer_left: boolean;
}

/** Returns every statement on erasures by email, each built once. */
export function erasureStatements(orm: Orm) {
  return {
    ...aggregateStatements<ErasureRow>(orm, ERASURE_TABLE, columnNames(columnsOf(ErasureEntity))),

    /** There is an index with these alone. */
    findPending: prepare<{ owner_id: Owner }, FoundErasureRow>(orm)`
        select e.id, e.email_key, e.customer_id, e.created_at, exists (
            select from our.customers as c
            where c.owner_id = ${'owner_id'} and c.id = e.customer_id and c.erased_at is null
          ) or exists (
            select from our.customers as c
            where c.owner_id = ${'owner_id'} and c.email_key = e.email_key) as is_customer_left
        from our.erasures as e
        where e.owner_id = ${'owner_id'} and e.${sql.raw(IS_PENDING)} order by e.id limit ${sql.lit(ERASING_MAX)}`,

    finish: prepare<{ owner_id: Owner; ids: readonly string[] }, { id: string }>(orm)`
        update our.erasures set email_key = null where owner_id = ${'owner_id'} and id = any(${'ids'}::uuid[]) returning id`,

    keepOrder: prepare<Target & { erased_at: Timestamp }, { id: string }>(orm)`
        insert into our.erased_orders as e (owner_id, id, erased_at)
        values (${'owner_id'}, ${'id'}, ${'erased_at'}::timestamptz)
        on conflict (owner_id, id) do update set erased_at = greatest(e.erased_at, excluded.erased_at) returning id`,
  };
}

/** Returns the repository of erasures by email over these connections. */
export function erasureRepository(
  statements: ReturnType<typeof erasureStatements>,
  connections: RepositoryConnections,
): ErasureRepository {
  const { primary } = connections;
  return {
    ...aggregateStore(connections, {
      statements,
      toAggregate: ({ created_at, updated_at, ...row }: ErasureRow): EmailErasure => ({
        ...row,
        status: row.email_key === null ? 'done' : 'pending',
        created_at: readTimestamp(created_at),
        updated_at: readTimestamp(updated_at),
      }),
      toColumns: ({ after: { id, email_key, customer_id, version, created_at, updated_at } }) => ({
        id,
        email_key,
        customer_id,
        version,
        created_at,
        updated_at,
      }),
      toSnapshot: () => null,
      restore: () => null,
    }),

    findPending: (owner) => {
      const found = statements.findPending(primary, { owner_id: owner });
      const toFound = ({ is_customer_left: isCustomerLeft, created_at, ...row }: FoundErasureRow): FoundErasure => ({
        ...row,
        created_at: readTimestamp(created_at),
        isCustomerLeft,
      });
      return orUnavailable(found.then((rows) => rows.map(toFound)));
    },

    finish: (owner, ids) => orUnavailable(statements.finish(primary, { owner_id: owner, ids }).then(() => null)),

    keepOrder: (owner, id, erased_at) =>
      orUnavailable(statements.keepOrder(primary, { owner_id: owner, id, erased_at }).then(() => null)),
  };
}
