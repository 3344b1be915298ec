import type { Owner, PageQuery } from '@orders/domain';
import { sql } from 'kysely';
import { loadWithOnce } from '../aggregates/load-statement.ts';
import { writeStatements } from '../aggregates/write-statements.ts';
import type { Orm } from '../database.ts';
import { keysetPage, pageShape, type PageValues } from '../shared/keyset-page.ts';
import { type Parameter, prepare, type Statement } from '../shared/statement.ts';
import { CustomerEntity } from './customer-entity.ts';
import type { CustomerRow } from './customer-row.ts';

const COLUMNS = ['o.id', 'o.email', 'o.name', 'o.metadata', 'o.version', 'o.created_at', 'o.updated_at'] as const;
const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));

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

    load: loadWithOnce<CustomerRow>(orm, 'customers', () => sql`${columns}`),

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
  readonly query: PageValues;
}

/** The statement of a list, by which parts its query has. Each shape is built when it is first asked for. */
function listStatements(orm: Orm): (query: PageQuery) => Statement<ListValues, CustomerRow> {
  const built = new Map<string, Statement<ListValues, CustomerRow>>();
  return (query) => {
    const key = pageShape(query);
    const statement = built.get(key) ?? prepare(orm.em.getKysely(), (p) => listStatement(query, p));
    built.set(key, statement);
    return statement;
  };
}

function listStatement(query: PageQuery, p: Parameter<ListValues>) {
  const { position, enough, page } = keysetPage(query, p);
  const conditions = sql.join([sql`o.owner_id = ${p('query', 'owner_id')}`, ...position], sql` and `);
  return sql<CustomerRow>`
    select o.* from (select ${columns} from customers as o where ${conditions} ${enough}) as o ${page}`;
}
