import type { Page, Position, Timestamp, Unavailable } from '@orders/domain';
import { okAsync, type ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import { type Auditing, auditStatement, recordedWrites } from './audit.ts';
import { firstRows, type PagedBy, pagedBy } from './first-rows.ts';

/** What an operator may do: each role may do what those before it may. */
export type OperatorRole = 'viewer' | 'support' | 'admin';

/** A person who operates the server. */
export interface Operator {
  /** A UUID. Changes that the operator makes have the actor `operator:` and it. */
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

/** An operator as listed for administrators. */
export interface ListedOperator extends Operator {
  /** By links, or by the tokens of a proxy. */
  readonly signs_in: 'link' | 'proxy';
  readonly created_at: Timestamp;
  readonly revoked_at: Timestamp | null;
  /** When a session was last used, to the minute; `null` if none was. */
  readonly last_used_at: Timestamp | null;
  /** The number of sessions that have neither expired nor ended. */
  readonly sessions: number;
}

/** A token, by its hash. */
export interface NewOperatorToken {
  /** A UUID, by which a session is listed and ended. */
  readonly id: string;
  readonly tokenHash: string;
  readonly created_at: Timestamp;
  readonly expires_at: Timestamp;
}

/** A session of an operator that has not ended, as listed. */
export interface ListedSession {
  readonly id: string;
  readonly created_at: Timestamp;
  readonly expires_at: Timestamp;
  /** To the minute. */
  readonly last_used_at: Timestamp;
}

/** The session of an operator. */
export interface OperatorSession extends Operator {
  readonly expires_at: Timestamp;
}

/** A page of a list as it is at a time. */
interface PageAt {
  readonly at: Timestamp;
  /** The page begins after this position, the `next` of the page before. Default: at the beginning. */
  readonly after?: Position<Timestamp> | null | undefined;
  /** The maximum number. */
  readonly limit: number;
}

/** The operators in PostgreSQL, and their tokens, each stored as a hash. Every change is recorded with it, or not made. */
export interface OperatorRepository {
  /** Stores an operator with the token of the link that signs in once. */
  create(operator: Operator, link: NewOperatorToken, by: Auditing): ResultAsync<null, Unavailable>;
  /** Stores the token of another link that signs in once; `false` when no unrevoked operator who signs in by links has this id. */
  link(id: string, link: NewOperatorToken, by: Auditing): ResultAsync<boolean, Unavailable>;
  /** Returns a page of the operators, the oldest first, also those who were revoked. */
  list(page: PageAt): ResultAsync<Page<ListedOperator, Timestamp>, Unavailable>;
  /** Renames an operator; `false` when no operator has this id. */
  rename(id: string, name: string, by: Auditing): ResultAsync<boolean, Unavailable>;
  /** Returns a page of the sessions of an operator that have not ended, used since `idleSince`, the newest first. */
  sessions(
    id: string,
    page: PageAt & { readonly idleSince: Timestamp },
  ): ResultAsync<Page<ListedSession, Timestamp>, Unavailable>;
  /** Ends a session of any operator; `false` when none that has not ended has this id. */
  endSession(id: string, at: Timestamp, by: Auditing): ResultAsync<boolean, Unavailable>;
  /** Revokes an operator with all sessions; `false` when no unrevoked operator has this id. */
  revoke(id: string, at: Timestamp, by: Auditing): ResultAsync<boolean, Unavailable>;
  /** Replaces the token of a link, which then works no longer, by a session; `null` for one that does not work. */
  signIn(linkHash: string, session: NewOperatorToken): ResultAsync<OperatorSession | null, Unavailable>;
  /**
   * Returns the session with this token, and records its use, at most one a minute. `null` for one that has expired, has
   * ended, was not used since `idleSince`, or is of a revoked operator.
   */
  useSession(tokenHash: string, at: Timestamp, idleSince: Timestamp): ResultAsync<OperatorSession | null, Unavailable>;
  /**
   * Returns the name of an operator whom another system has signed in, whom the first call makes; `null` for a revoked one.
   * Stores the role, and records its change, and the use, at most one a minute.
   */
  useIdentity(operator: Operator, at: Timestamp): ResultAsync<Pick<Operator, 'name'> | null, Unavailable>;
  /** Ends a session; `false` when none has this token. */
  signOut(tokenHash: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
}

/** How far apart two recorded uses of a session are at least, in milliseconds. */
const BETWEEN_USES_MS = 60_000;

interface Used {
  readonly token_hash: string;
  readonly at: Timestamp;
}

type ListedRow = Omit<ListedOperator, 'created_at' | 'revoked_at' | 'last_used_at'> & {
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

type IdentityRow = Pick<Operator, 'name' | 'role'> & { readonly revoked: boolean; readonly unrecorded: boolean };

type SessionRow = Operator & { readonly expires_at: string; readonly used_at: string };

/** Returns the operators of this database. */
export function postgresOperators(database: OrdersDatabase): OperatorRepository {
  const { orm, primary } = database;
  const audit = auditStatement(orm);
  const statements = {
    insert: prepare<Operator & { created_at: Timestamp }, object>(orm)`
      insert into our.operators (id, name, role, signs_in, created_at)
      values (${'id'}, ${'name'}, ${'role'}, 'link', ${'created_at'})`,
    // A session would outlive what the issuer of a proxy takes back.
    insertLink: prepare<NewOperatorToken & { operator: string }, { operator_id: string }>(orm)`
      insert into our.operator_tokens (token_hash, id, operator_id, kind, created_at, expires_at)
      select ${'tokenHash'}, ${'id'}::uuid, o.id, 'sign_in', ${'created_at'}::timestamptz, ${'expires_at'}::timestamptz
      from our.operators as o where o.id = ${'operator'}::uuid and o.revoked_at is null and o.signs_in = 'link'
      returning operator_id`,
    rename: prepare<{ id: string; name: string }, { id: string }>(orm)`
      update our.operators set name = ${'name'} where id = ${'id'}::uuid returning id`,
    sessions: prepare<PagedBy & { id: string; at: Timestamp; idle: Timestamp }, ListedSession>(orm)`
      select t.id, t.created_at, t.expires_at, t.last_used_at
      from our.operators as o join our.operator_tokens as t on t.operator_id = o.id
      where o.id = ${'id'}::uuid and o.revoked_at is null and t.kind = 'session' and t.revoked_at is null
        and t.expires_at > ${'at'}::timestamptz and t.last_used_at > ${'idle'}::timestamptz
        and (${'after'}::timestamptz is null or (t.created_at, t.id) < (${'after'}, ${'after_id'}::uuid))
      order by t.created_at desc, t.id desc limit ${'limit'}::int`,
    endSession: prepare<{ id: string; at: Timestamp }, { id: string }>(orm)`
      update our.operator_tokens set revoked_at = ${'at'}::timestamptz where id = ${'id'}::uuid and kind = 'session'
        and revoked_at is null and expires_at > ${'at'}::timestamptz returning id`,
    list: prepare<PagedBy & { at: Timestamp }, ListedRow>(orm)`
      select o.id, o.name, o.role, o.signs_in, o.created_at, o.revoked_at, greatest(o.last_used_at, max(t.last_used_at)) as last_used_at,
        (count(*) filter (where t.kind = 'session' and t.revoked_at is null and t.expires_at > ${'at'}::timestamptz
          and o.revoked_at is null))::int as sessions
      from our.operators as o left join our.operator_tokens as t on t.operator_id = o.id
      where ${'after'}::timestamptz is null or (o.created_at, o.id) > (${'after'}, ${'after_id'}::uuid)
      group by o.id order by o.created_at, o.id limit ${'limit'}::int`,
    revoke: prepare<{ id: string; at: Timestamp }, { id: string }>(orm)`
      update our.operators set revoked_at = ${'at'} where id = ${'id'}::uuid and revoked_at is null returning id`,
    // Of two that use one link at the same time, the second waits for the row, and finds it used.
    signIn: prepare<NewOperatorToken & { link: string }, SessionRow>(orm)`
      with used as (
        update our.operator_tokens as t set revoked_at = ${'created_at'}::timestamptz from our.operators as o
        where t.token_hash = ${'link'} and t.kind = 'sign_in' and t.revoked_at is null
          and t.expires_at > ${'created_at'}::timestamptz and o.id = t.operator_id and o.revoked_at is null
        returning o.id, o.name, o.role
      ),
      session as (
        insert into our.operator_tokens (token_hash, id, operator_id, kind, created_at, expires_at, last_used_at)
        select ${'tokenHash'}, ${'id'}::uuid, used.id, 'session', ${'created_at'}::timestamptz, ${'expires_at'}::timestamptz,
          ${'created_at'}::timestamptz
        from used returning expires_at, last_used_at
      )
      select used.id, used.name, used.role, session.expires_at, session.last_used_at as used_at from used, session`,
    find: prepare<Used & { idle: Timestamp }, SessionRow>(orm)`
      select o.id, o.name, o.role, t.expires_at, t.last_used_at as used_at
      from our.operator_tokens as t join our.operators as o on o.id = t.operator_id
      where t.token_hash = ${'token_hash'} and t.kind = 'session' and t.revoked_at is null and o.revoked_at is null
        and t.expires_at > ${'at'}::timestamptz and t.last_used_at > ${'idle'}::timestamptz`,
    use: prepare<Used, object>(orm)`
      update our.operator_tokens set last_used_at = ${'at'}::timestamptz
      where token_hash = ${'token_hash'} and last_used_at < ${'at'}::timestamptz`,
    identity: prepare<{ id: string; at: Timestamp }, IdentityRow>(orm)`
      select name, role, revoked_at is not null as revoked,
        last_used_at is null or last_used_at <= ${'at'}::timestamptz - interval '1 minute' as unrecorded
      from our.operators where id = ${'id'}::uuid`,
    insertIdentity: prepare<Operator & { at: Timestamp }, { id: string }>(orm)`
      insert into our.operators (id, name, role, signs_in, created_at)
      values (${'id'}::uuid, ${'name'}, ${'role'}, 'proxy', ${'at'}::timestamptz) on conflict (id) do nothing returning id`,
    changeRole: prepare<Pick<Operator, 'id' | 'role'>, { id: string }>(orm)`
      update our.operators set role = ${'role'} where id = ${'id'}::uuid and role <> ${'role'} returning id`,
    useOperator: prepare<{ id: string; at: Timestamp }, object>(orm)`
      update our.operators set last_used_at = greatest(last_used_at, ${'at'}::timestamptz) where id = ${'id'}::uuid`,
    signOut: prepare<Used, { operator_id: string }>(orm)`
      update our.operator_tokens set revoked_at = ${'at'} where token_hash = ${'token_hash'} and kind = 'session'
        and revoked_at is null returning operator_id`,
  };
  const recorded = recordedWrites(database);
  /** Returns what was changed, if any row was. */
  const changed = async (subject: string, rows: Promise<readonly unknown[]>) =>
    (await rows).length > 0 ? { subject } : undefined;
  return {
    create: (operator, link, by) =>
      recorded(by, 'create_operator', async (executor) => {
        await statements.insert(executor, { ...operator, created_at: link.created_at });
        await statements.insertLink(executor, { ...link, operator: operator.id });
        return { subject: operator.id };
      }).map(() => null),
    link: (id, link, by) =>
      recorded(by, 'link_operator', (executor) =>
        changed(id, statements.insertLink(executor, { ...link, operator: id })),
      ),
    rename: (id, name, by) =>
      recorded(by, 'rename_operator', (executor) => changed(id, statements.rename(executor, { id, name }))),
    sessions: (id, { at, idleSince: idle, after, limit }) =>
      orUnavailable(statements.sessions(primary, { id, at, idle, ...pagedBy(after, limit) })).map((rows) => {
        const sessions = rows.map((row) => ({
          id: row.id,
          created_at: readTimestamp(row.created_at),
          expires_at: readTimestamp(row.expires_at),
          last_used_at: readTimestamp(row.last_used_at),
        }));
        return firstRows(sessions, limit, (session) => session.id);
      }),
    endSession: (id, at, by) =>
      recorded(by, 'end_session', (executor) => changed(id, statements.endSession(executor, { id, at }))),
    list: ({ at, after, limit }) =>
      orUnavailable(statements.list(primary, { at, ...pagedBy(after, limit) })).map((rows) => {
        const operators = rows.map(({ created_at, revoked_at, last_used_at, ...row }) => ({
          ...row,
          created_at: readTimestamp(created_at),
          revoked_at: readTimestampOrNull(revoked_at),
          last_used_at: readTimestampOrNull(last_used_at),
        }));
        return firstRows(operators, limit, (operator) => operator.id);
      }),
    revoke: (id, at, by) =>
      recorded(by, 'revoke_operator', (executor) => changed(id, statements.revoke(executor, { id, at }))),
    signIn: (link, session) =>
      orUnavailable(
        primary.transaction(async (executor) => {
          const [row] = await statements.signIn(executor, { link, ...session });
          if (!row) return null;
          const entry = { action: 'sign_in', subject: row.id, reason: null };
          await audit(executor, { ...entry, actor: `operator:${row.id}` });
          return toSession(row);
        }),
      ),
    useSession: (token_hash, at, idle) => {
      const use = async () => {
        const [row] = await statements.find(primary, { token_hash, at, idle });
        if (!row) return null;
        if (Date.parse(at) - Date.parse(readTimestamp(row.used_at)) >= BETWEEN_USES_MS)
          await statements.use(primary, { token_hash, at });
        return toSession(row);
      };
      return orUnavailable(use());
    },
    useIdentity: (operator, at) => {
      const { id, role } = operator;
      const by = { actor: `operator:${id}`, reason: null };
      const find = () => orUnavailable(statements.identity(primary, { id, at })).map(([row]) => row);
      const make = () =>
        recorded(by, 'create_operator', (executor) =>
          changed(id, statements.insertIdentity(executor, { ...operator, at })),
        );
      const changeRole = () =>
        recorded(by, 'change_role', (executor) => changed(id, statements.changeRole(executor, { id, role })));
      return find()
        .andThen((row) => (row ? okAsync(row) : make().andThen(find)))
        .andThen((row) => {
          if (!row || row.revoked) return okAsync(null);
          const current = row.role === role ? okAsync(false) : changeRole();
          return current
            .andThen(() => (row.unrecorded ? orUnavailable(statements.useOperator(primary, { id, at })) : okAsync([])))
            .map(() => ({ name: row.name }));
        });
    },
    signOut: (token_hash, at) =>
      orUnavailable(statements.signOut(primary, { token_hash, at })).map((rows) => rows.length > 0),
  };
}

/**
 * Returns the statement that purges tokens which have expired. The token that an operator used last stays: its time is that of
 * the operator.
 *
 * @internal
 */
export function purgeOperatorTokens(orm: Orm) {
  return prepare<{ until: string }, object>(orm)`
      delete from our.operator_tokens as t
      where t.expires_at <= ${'until'}::timestamptz and (t.last_used_at is null or exists (
        select from our.operator_tokens as n where n.operator_id = t.operator_id
          and (n.last_used_at, n.token_hash) > (t.last_used_at, t.token_hash)))`;
}

function toSession({ id, name, role, expires_at }: SessionRow): OperatorSession {
  return { id, name, role, expires_at: readTimestamp(expires_at) };
}
