import type { Owner, PageQuery } from '@orders/domain';
import { sql } from 'kysely';
import { loadWithOnce } from '../aggregates/load-statement.ts';
import { writeStatements } from '../aggregates/write-statements.ts';
import type { Orm } from '../database.ts';
import { type Parameter, prepare, type Statement } from '../shared/statement.ts';
import { CustomerEntity } from './customer-entity.ts';
import type { CustomerRow } from './customer-row.ts';

const COLUMNS = ['o.id', 'o.email', 'o.name', 'o.metadata', 'o.version', 'o.created_at', 'o.updated_at'] as const;

/** Every statement on customers, built once. Each carries the owner in every part of it. */
export function customerStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    writes: writeStatements(orm, {
      table: 'customers',
      entity: CustomerEntity,
      fixed: ['created_at'],
      forgets: true,
    }),

    find: prepare<{ customer: { owner_id: Owner; id: string } }, CustomerRow>(db, (p) =>
      db
        .selectFrom('customers as o')
        .select(COLUMNS)
        .where('o.owner_id', '=', p('customer', 'owner_id'))
        .where('o.id', '=', p('customer', 'id')),
    ),

    load: loadWithOnce<CustomerRow>(orm, 'customers', () => sql.join(COLUMNS.map((column) => sql.ref(column)))),

    holderOfEmail: prepare<{ customer: { owner_id: Owner; email_key: string } }, { id: string }>(db, (p) =>
      db
        .selectFrom('customers')
        .select('id')
        .where('owner_id', '=', p('customer', 'owner_id'))
        .where('email_key', '=', p('customer', 'email_key')),
    ),

    list: listStatements(orm),
  };
}

interface ListValues {
  readonly query: {
    readonly owner_id: Owner;
    readonly limit: number;
    readonly offset: number;
    readonly after_value: string | null;
    readonly after_id: string | null;
  };
}

/** The statement of a list, by which parts its query has. Each shape is built when it is first asked for. */
function listStatements(orm: Orm): (query: PageQuery) => Statement<ListValues, CustomerRow> {
  const built = new Map<string, Statement<ListValues, CustomerRow>>();
  return (query) => {
    const key = `${query.sort} ${query.after === null ? '' : 'after'}`;
    const statement = built.get(key) ?? prepare(orm.em.getKysely(), (p) => listStatement(orm, query, p));
    built.set(key, statement);
    return statement;
  };
}

function listStatement(orm: Orm, { sort, after }: PageQuery, p: Parameter<ListValues>) {
  const column = sort.endsWith('created_at') ? ('o.created_at' as const) : ('o.updated_at' as const);
  const direction = sort.startsWith('-') ? ('desc' as const) : ('asc' as const);
  const behind = sql.raw(direction === 'desc' ? '<' : '>');
  return orm.em
    .getKysely()
    .selectFrom('customers as o')
    .select(COLUMNS)
    .where('o.owner_id', '=', p('query', 'owner_id'))
    .$if(after !== null, (q) =>
      q.where(
        sql<boolean>`(${sql.ref(column)}, o.id) ${behind} (${p('query', 'after_value')}::timestamptz, ${p('query', 'after_id')}::uuid)`,
      ),
    )
    .orderBy(column, direction)
    .orderBy('o.id', direction)
    .limit(sql<number>`${p('query', 'limit')}::int + 1`)
    .offset(p('query', 'offset'));
}
