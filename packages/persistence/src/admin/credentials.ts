import type { Owner, Page, Position, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import { type Auditing, recordedWrites } from './audit.ts';
import { firstRows, type PagedBy, pagedBy } from './first-rows.ts';

/** A credential as it is listed. */
export interface ListedCredential {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  /** What an administrator calls it, 1 to 100 characters; `null` if it has no name. */
  readonly name: string | null;
  readonly created_at: Timestamp;
  readonly revoked_at: Timestamp | null;
  /** When it was last used, to the minute; `null` if no use was recorded. */
  readonly last_used_at: Timestamp | null;
}

/** Which credentials to list. */
export interface CredentialQuery {
  /** Default: those of all owners. */
  readonly owner?: Owner | undefined;
  /** The page begins after this position, the `next` of the page before. Default: at the oldest. */
  readonly after?: Position<Timestamp> | null | undefined;
  /** The maximum number. */
  readonly limit: number;
}

/** What is done alike to API keys and client certificates, each by what identifies it. */
export interface CredentialRepository<Listed> {
  /** Returns a page, the oldest first, also those that were revoked. */
  list(query: CredentialQuery): ResultAsync<Page<Listed, Timestamp>, Unavailable>;
  /**
   * Renames one; `null` takes its name. `false` when there is none. Recorded `by` whom in the same transaction. Default: it is
   * not.
   */
  rename(id: string, name: string | null, by?: Auditing): ResultAsync<boolean, Unavailable>;
  /** Revokes one; `false` when none that is unrevoked exists. Recorded as a new name is. */
  revoke(id: string, at: Timestamp, by?: Auditing): ResultAsync<boolean, Unavailable>;
  /** Records that some were used at a time, in one statement: of each at most one use a minute. */
  recordUses(ids: readonly string[], at: Timestamp): ResultAsync<void, Unavailable>;
}

/** A table of credentials, as the program names it. */
interface CredentialTable {
  readonly table: 'api_keys' | 'client_certificates';
  /** What a record calls one. */
  readonly kind: 'api_key' | 'client_certificate';
  /** The column that identifies one in lists and in changes. */
  readonly id: 'prefix' | 'identity';
  /** A column that only this table has. */
  readonly own?: 'expires_at';
}

interface Row {
  readonly place: string;
  readonly expires_at?: string | null;
}

/** What an insertion or change of a credential is recorded about. */
export interface CredentialPlace {
  readonly owner: Owner;
  readonly subject: string;
}

/** Returns what is done alike to the credentials of a table. */
export function postgresCredentials<Listed extends ListedCredential>(
  database: OrdersDatabase,
  { table: name, kind, id: idName, own }: CredentialTable,
): CredentialRepository<Listed> {
  const { orm, primary } = database;
  const recorded = recordedWrites(database);
  const [table, id] = [sql.raw(`our.${name}`), sql.raw(idName)];
  // Cursors have few characters, and an identity up to 2,000 bytes.
  const place = sql`substr(encode(sha256(convert_to(c.${id}, 'UTF8')), 'hex'), 1, 32)::uuid`;
  const list = prepare<PagedBy & { owner: Owner | null }, Listed & Row>(orm)`
      select c.${id}, c.owner_id as owner, c.scopes, c.name, c.created_at, c.revoked_at, c.last_used_at,
        ${sql.raw(own ? `c.${own}, ` : '')}${place} as place
      from ${table} as c
      where (${'owner'}::text is null or c.owner_id = ${'owner'})
        and (${'after'}::timestamptz is null or (c.created_at, ${place}) > (${'after'}, ${'after_id'}::uuid))
      order by c.created_at, place limit ${'limit'}::int`;
  const rename = prepare<{ id: string; name: string | null }, CredentialPlace>(orm)`
      update ${table} set name = ${'name'} where ${id} = ${'id'} returning owner_id as owner, ${id} as subject`;
  const revoke = prepare<{ id: string; at: Timestamp }, CredentialPlace>(orm)`
      update ${table} set revoked_at = ${'at'}::timestamptz where ${id} = ${'id'} and revoked_at is null
      returning owner_id as owner, ${id} as subject`;
  const recordUses = prepare<{ ids: readonly string[]; at: Timestamp }, object>(orm)`
      update ${table} set last_used_at = ${'at'}::timestamptz where ${id} = any(${'ids'}::text[])
        and (last_used_at is null or last_used_at <= ${'at'}::timestamptz - interval '1 minute')`;
  return {
    list: ({ owner = null, after, limit }) =>
      orUnavailable(list(primary, { owner, ...pagedBy(after, limit) })).map((rows) => {
        const listed = rows.map((each) => {
          const { place: _, ...row } = each;
          return {
            ...row,
            created_at: readTimestamp(row.created_at),
            revoked_at: readTimestampOrNull(row.revoked_at),
            last_used_at: readTimestampOrNull(row.last_used_at),
            ...(row.expires_at !== undefined && { expires_at: readTimestampOrNull(row.expires_at) }),
          };
        });
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the statement selects
        return firstRows(listed as unknown as readonly Listed[], limit, (_, index) => rows[index]?.place ?? '');
      }),
    rename: (each, to, by) =>
      recorded(by, `rename_${kind}`, async (executor) => (await rename(executor, { id: each, name: to }))[0]),
    revoke: (each, at, by) =>
      recorded(by, `revoke_${kind}`, async (executor) => (await revoke(executor, { id: each, at }))[0]),
    recordUses: (ids, at) => orUnavailable(recordUses(primary, { ids, at })).map(() => undefined),
  };
}
