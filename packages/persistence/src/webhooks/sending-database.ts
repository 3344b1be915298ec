import type { OrdersDatabase } from '../database/database.ts';
import { errorCode } from '../postgres/error-code.ts';
import { inSchema } from '../tables/schema.ts';

/**
 * Whether webhooks may be sent from a database: `original`, or `copy` of one that sends. It is `unknown` where the role may
 * not call `pg_control_system`.
 */
export type SendingDatabase = 'copy' | 'original' | 'unknown';

/** The time for which {@link adoptNextDatabase} holds. */
const NEXT_HOURS = 24;

/** The identity of this database, which its physical copies have too. It is that of the coordinator on Citus. */
const IDENTITY = `(select s.system_identifier || '/' || d.oid from pg_control_system() as s, pg_database as d
    where d.datname = current_database())`;

const COMPARE = `select ${IDENTITY} = r.identity as is_original, r.next_until > now() as may_follow
  from (select) as always left join our.sending_database as r on true`;

const store = (identity: string) => `insert into our.sending_database as r (only_row, identity, next_until)
  values (true, ${identity}, null)
  on conflict (only_row) do update set identity = excluded.identity, next_until = null`;

const TAKE_FREE_PLACE = `${store(IDENTITY)} where r.next_until > now()`;

const ALLOW_NEXT = `update our.sending_database set next_until = now() + interval '${NEXT_HOURS} hours'`;

/** The SQLSTATE code of a function that the role may not call. */
const INSUFFICIENT_PRIVILEGE = '42501';

interface Compared {
  /** Null before anything was recorded. */
  readonly is_original: boolean | null;
  readonly may_follow: boolean | null;
}

/** Options of {@link sendingDatabase}. */
export interface SendingDatabaseOptions {
  /** Records nothing; a database that would be recorded is `original`. Default: false. */
  readonly isReadOnly?: boolean | undefined;
}

/**
 * Compares the identity of a database with the recorded one. The first database that calls it is recorded, and so is the next
 * one after {@link adoptNextDatabase}.
 *
 * @throws {Error} the database query failed
 */
export async function sendingDatabase(
  database: OrdersDatabase,
  { isReadOnly = false }: SendingDatabaseOptions = {},
): Promise<SendingDatabase> {
  try {
    const { is_original: isOriginal, may_follow: mayFollow } = await compare(database);
    if (isOriginal === true) return 'original';
    if (isOriginal === false && mayFollow !== true) return 'copy';
    if (isReadOnly) return 'original';
    await run(database, TAKE_FREE_PLACE);
    return (await compare(database)).is_original === true ? 'original' : 'copy';
  } catch (cause) {
    if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw cause;
    return 'unknown';
  }
}

/** Records this database as the one that sends, in place of another one. */
export async function adoptDatabase(database: OrdersDatabase): Promise<void> {
  await run(database, store(IDENTITY));
}

/**
 * Lets a copy of this database that is made from now on send too, if it does so within a day. Returns `false`, and changes
 * nothing, if this one is a copy itself.
 */
export async function adoptNextDatabase(database: OrdersDatabase): Promise<boolean> {
  if ((await sendingDatabase(database)) !== 'original') return false;
  await run(database, ALLOW_NEXT);
  return true;
}

/** Records that neither this database nor a copy of it sends, until it is adopted. */
export async function quietDatabase(database: OrdersDatabase): Promise<void> {
  await run(database, store(`''`));
}

async function compare({ primary, orm }: OrdersDatabase): Promise<Compared> {
  const [row] = await primary.execute<Compared>({ text: inSchema(orm, COMPARE) }, []);
  return row ?? { is_original: null, may_follow: null };
}

async function run({ primary, orm }: OrdersDatabase, text: string): Promise<void> {
  await primary.execute({ text: inSchema(orm, text) }, []);
}
