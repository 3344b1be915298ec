import type { Owner, Page, PageQuery, Timestamp, Unavailable } from '@orders/domain';
import type { RawBuilder } from 'kysely';
import { ok, type ResultAsync } from 'neverthrow';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import type { ReplicaReads } from '../postgres/replica-reads.ts';
import type { Orm } from '../tables/orm.ts';
import { nextPosition, pageShape, type PageValues, pageValues } from './keyset-page.ts';
import { type Parameter, prepare, type Statement } from './statement.ts';

/** A row of a page. */
type Listed<Row> = Row & { readonly more: boolean };

/** Returns the statement for a query. */
type PageStatements<Query, Values, Row> = (query: Query) => Statement<{ readonly query: Values }, Listed<Row>>;

/** Returns a function that returns the statement for a query. Each shape is built at its first use. */
export function pageStatements<Query extends PageQuery, Values extends PageValues, Row>(
  orm: Orm,
  build: (query: Query, parameter: Parameter<{ readonly query: Values }>) => RawBuilder<Listed<Row>>,
): PageStatements<Query, Values, Row> {
  const built = new Map<string, Statement<{ readonly query: Values }, Listed<Row>>>();
  return (query) => {
    const key = pageShape(query);
    const statement = built.get(key) ?? prepare(orm, (p) => build(query, p));
    built.set(key, statement);
    return statement;
  };
}

/** What a list returns for its order. */
interface Listable {
  readonly id: string;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** Returns a list, which a replica may serve. */
export function pageReader<Query extends PageQuery, Row, A extends Listable>(
  { readAnywhere }: Pick<ReplicaReads, 'readAnywhere'>,
  statements: PageStatements<Query, Query & PageValues, Row>,
  toAggregate: (row: Row, owner: Owner) => A,
): (owner: Owner, query: Query) => ResultAsync<Page<A, Timestamp>, Unavailable> {
  const read = async (owner: Owner, query: Query) => {
    const values = { query: { ...query, ...pageValues(owner, query) } };
    const rows = await readAnywhere((executor) => statements(query)(executor, values));
    const data = rows.map((row) => toAggregate(row, owner));
    return ok({ data, next: nextPosition(query, data, rows.at(-1)?.more ?? false) });
  };
  return (owner, query) => toResultAsync(read(owner, query));
}
