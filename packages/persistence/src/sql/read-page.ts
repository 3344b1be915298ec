import type { ListFilter, ListFilters, Owner, Page, PageQuery, Timestamp, Unavailable } from '@orders/domain';
import type { Sql } from './sql.ts';
import type { ResultAsync } from 'neverthrow';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import type { ReplicaReads } from '../postgres/replica-reads.ts';
import type { Orm } from '../tables/orm.ts';
import { nextPosition, pageShape, type PageValues, pageValues } from './keyset-page.ts';
import { type Parameter, prepareQuery, type Statement } from './statement.ts';

/** A row of a page. One that is not `found` only ends it. */
type Listed<Row> = Row & { readonly more: boolean; readonly found?: boolean };

/** Returns the statement for a query. */
type PageStatements<Query, Values, Row> = (query: Query) => Statement<Values, Listed<Row>>;

/** Filters of these kinds combine to thousands of shapes, more than a connection can keep prepared. */
const UNPREPARED: readonly ListFilter['value'][] = ['time', 'uuids', 'prefix', 'integer'];

/** Maximum number of shapes whose text is kept. */
const SHAPES_MAX = 1000;

/**
 * Returns a function that returns the statement for a query of a list with `filters`. Each shape is built at its first use.
 */
export function pageStatements<Query extends PageQuery, Values extends PageValues, Row>(
  orm: Orm,
  filters: ListFilters,
  build: (query: Query, parameter: Parameter<Values>) => Sql<Listed<Row>>,
): PageStatements<Query, Values, Row> {
  const built = new Map<string, Statement<Values, Listed<Row>>>();
  const unprepared = Object.keys(filters).filter((name) => UNPREPARED.includes(filters[name]?.value ?? 'text'));
  return (query) => {
    const key = pageShape(query);
    const known = built.get(key);
    if (known) return known;
    const isPrepared = unprepared.every((name) => Reflect.get(query, name) === null);
    const statement = prepareQuery<Values, Listed<Row>>(orm, (p) => build(query, p), isPrepared);
    if (built.size === SHAPES_MAX) built.clear();
    built.set(key, statement);
    return statement;
  };
}

/** Returns a list, which a replica may serve. */
export function pageReader<Query extends PageQuery, Row, A extends { readonly id: string }>(
  { readAnywhere }: Pick<ReplicaReads, 'readAnywhere'>,
  statements: PageStatements<Query, Query & PageValues, Row>,
  toAggregate: (row: Row, owner: Owner) => A,
): (owner: Owner, query: Query) => ResultAsync<Page<A, Timestamp>, Unavailable> {
  const read = async (owner: Owner, query: Query) => {
    const values = { ...query, ...pageValues(owner, query) };
    const rows = await readAnywhere((executor) => statements(query)(executor, values));
    const all = rows.map((row) => toAggregate(row, owner));
    const data = all.slice(0, rows.at(-1)?.found === false ? -1 : undefined);
    return { data, next: nextPosition(query, all, rows.at(-1)?.more ?? false) };
  };
  return (owner, query) => orUnavailable(read(owner, query));
}
