import { type Owner, PAGE_BYTES_MAX, type PageQuery } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import { idempotencyStatements } from '../writes/idempotency-statements.ts';
import { type AggregateTable, type Target, writeFunctions } from '../writes/write-functions.ts';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import { METADATA_BYTES, pageShape, type PageValues, selectPage } from '../sql/keyset-page.ts';
import { type Parameter, prepare, type Statement } from '../sql/statement.ts';
import { CustomerEntity } from '../tables/customer-entity.ts';
import type { CustomerRow } from './customer-row.ts';

/** The table of customers, for writes. */
export const CUSTOMER_TABLE: AggregateTable = {
  aggregate: 'customer',
  table: 'customers',
  entity: CustomerEntity,
  fixed: ['created_at'],
  erases: true,
};

/** Returns every statement on customers, each built once. Every subquery of a statement filters by owner. */
export function customerStatements(orm: Orm) {
  const columns = customerColumns(orm);
  return {
    write: writeFunctions(orm, CUSTOMER_TABLE).statements,

    keys: idempotencyStatements(orm),

    find: prepare<{ target: Target }, CustomerRow>(
      orm,
      (p) => sql<CustomerRow>`select ${columns} from our.customers as o
        where o.owner_id = ${p('target', 'owner_id')} and o.id = ${p('target', 'id')}`,
    ),

    lock: prepare<{ target: Target }, { id: string }>(
      orm,
      (p) => sql<{ id: string }>`
        select id from our.customers where owner_id = ${p('target', 'owner_id')} and id = ${p('target', 'id')} for update`,
    ),

    holderOfEmail: prepare<{ customer: { owner_id: Owner; email_key: string } }, { id: string }>(
      orm,
      (p) => sql<{ id: string }>`select id from our.customers
        where owner_id = ${p('customer', 'owner_id')} and email_key = ${p('customer', 'email_key')}`,
    ),

    list: listStatements(orm, columns),
  };
}

/**
 * Returns the columns of a customer that is read as `o`: all of its entity except `email_key`, which is only compared.
 */
function customerColumns(orm: Orm): Expression<unknown> {
  const columns = columnsOf(orm, CustomerEntity).filter(({ name }) => name !== 'email_key');
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}

/** A row of a page of customers. */
type ListedRow = CustomerRow & { readonly more: boolean };

interface ListValues {
  readonly query: PageValues;
}

/** Returns a function that returns the statement for a query. Each shape is built at its first use. */
function listStatements(
  orm: Orm,
  columns: Expression<unknown>,
): (query: PageQuery) => Statement<ListValues, ListedRow> {
  const built = new Map<string, Statement<ListValues, ListedRow>>();
  return (query) => {
    const key = pageShape(query);
    const statement = built.get(key) ?? prepare(orm, (p) => listStatement(query, columns, p));
    built.set(key, statement);
    return statement;
  };
}

function listStatement(query: PageQuery, columns: Expression<unknown>, p: Parameter<ListValues>) {
  const room = [{ of: METADATA_BYTES, max: PAGE_BYTES_MAX }];
  return selectPage<ListedRow>(query, { table: 'customers', columns, read: columns, scans: [[]], room }, p);
}

export type CustomerStatements = ReturnType<typeof customerStatements>;
