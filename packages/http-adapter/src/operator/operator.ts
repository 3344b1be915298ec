import { randomBytes, randomUUID } from 'node:crypto';
import type {
  Domain,
  KeyReused,
  OrderComment,
  OrderDefinition,
  OrderNotFound,
  Owner,
  Page,
  Position,
  Timestamp,
  Unavailable,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result, ResultAsync } from 'neverthrow';
import { hashApiKey } from '../admission/authentication/api-keys.ts';
import type { OwnerRateLimits, OwnerSettings } from '../admission/owner-settings.ts';
import type { Served } from '../api/operation.ts';
import type { Scope } from '../principal.ts';
import type { Problem } from '../problems/problem.ts';

/** The roles of operators. Each may do what those before it may. */
export const OPERATOR_ROLES = Object.freeze(['viewer', 'support', 'admin'] as const);

/** What an operator may do. */
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Whether a role may do what another one may. */
export function includesRole(role: OperatorRole, other: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(other);
}

/** Returns the problem of an operator whose role is less than the required one. */
export function insufficientRole(required: OperatorRole): Problem {
  const detail = `The operation requires the role ${required}.`;
  return { code: 'insufficient_scope', detail, extra: { required_scope: required } };
}

/** The least role that uses operations of a scope. What none has is not for operators who act for an owner. */
export const ROLE_OF_SCOPE: Partial<Record<Scope, OperatorRole>> = {
  'orders:read': 'viewer',
  'customers:read': 'viewer',
  'events:read': 'viewer',
  'orders:write': 'support',
  'customers:write': 'support',
  'customers:erase': 'support',
  'webhooks:read': 'viewer',
  'webhooks:write': 'admin',
};

/** Maximum length of the name of an operator, in UTF-16 code units. */
export const NAME_LENGTH_MAX = 100;
/** Maximum length of the reason of what an operator does, in UTF-16 code units. */
export const REASON_LENGTH_MAX = 500;

/** Who operates the server. */
interface OperatorIdentity {
  /** A UUID. Changes that the operator makes for an owner have the actor `operator:` and it. */
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

/** A session of an operator. */
export interface OperatorSession extends OperatorIdentity {
  readonly expires_at: Timestamp;
}

/** An operator as listed. */
interface ListedOperator extends OperatorIdentity {
  readonly signs_in: 'link' | 'proxy';
  readonly created_at: Timestamp;
  readonly revoked_at: Timestamp | null;
  readonly last_used_at: Timestamp | null;
  readonly sessions: number;
}

/** A session as listed. */
interface ListedSession {
  readonly id: string;
  readonly created_at: Timestamp;
  readonly expires_at: Timestamp;
  readonly last_used_at: Timestamp;
}

/** A token to store. */
interface NewToken {
  /** A UUID, by which a session is listed and ended. */
  readonly id: string;
  readonly tokenHash: string;
  readonly created_at: Timestamp;
  readonly expires_at: Timestamp;
}

/** Who did it, and why. */
export interface Auditing {
  readonly actor: string;
  readonly reason: string | null;
}

/** A page of a list as it is at a time. */
interface PageAt {
  readonly at: Timestamp;
  readonly after?: Position<Timestamp> | null | undefined;
  readonly limit: number;
}

/** Stores operators and their tokens by hash, as `postgresOperators(database)` of `@orders/persistence`. */
export interface OperatorStore {
  create(operator: OperatorIdentity, link: NewToken, by: Auditing): ResultAsync<null, Unavailable>;
  list(page: PageAt): ResultAsync<Page<ListedOperator, Timestamp>, Unavailable>;
  link(id: string, link: NewToken, by: Auditing): ResultAsync<boolean, Unavailable>;
  rename(id: string, name: string, by: Auditing): ResultAsync<boolean, Unavailable>;
  sessions(
    id: string,
    page: PageAt & { readonly idleSince: Timestamp },
  ): ResultAsync<Page<ListedSession, Timestamp>, Unavailable>;
  endSession(id: string, at: Timestamp, by: Auditing): ResultAsync<boolean, Unavailable>;
  revoke(id: string, at: Timestamp, by: Auditing): ResultAsync<boolean, Unavailable>;
  signIn(linkHash: string, session: NewToken): ResultAsync<OperatorSession | null, Unavailable>;
  useSession(tokenHash: string, at: Timestamp, idleSince: Timestamp): ResultAsync<OperatorSession | null, Unavailable>;
  useIdentity(
    operator: OperatorIdentity,
    at: Timestamp,
  ): ResultAsync<Pick<OperatorIdentity, 'name'> | null, Unavailable>;
  signOut(tokenHash: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
}

/** What is set for an owner. */
interface StoredOwnerSettings extends OwnerSettings {
  readonly owner: Owner;
  readonly suspended_at: Timestamp | null;
  readonly rate_limits: OwnerRateLimits | null;
}

/** Stores what operators set for owners, as `postgresOwnerSettings(database)` of `@orders/persistence`. */
export interface OwnerSettingsStore {
  /** What is `undefined` stays as it is. */
  change(
    owner: Owner,
    change: { readonly suspended?: boolean | undefined; readonly rate_limits?: OwnerRateLimits | null | undefined },
    at: Timestamp,
    by: Auditing,
  ): ResultAsync<{ readonly settings: StoredOwnerSettings }, Unavailable>;
}

/** What is known of an owner. */
interface ListedOwner extends StoredOwnerSettings {
  readonly first_event_at: Timestamp | null;
  readonly last_event_at: Timestamp | null;
  readonly orders: {
    readonly since: Timestamp | null;
    readonly by_status: readonly { readonly status: string; readonly orders: number }[];
  } | null;
}

/** Some owners, whether nothing is missing, and after which owner the next page begins. */
interface ListedOwners {
  readonly owners: readonly ListedOwner[];
  readonly next: Owner | null;
  readonly is_complete: boolean;
}

/** The owners that are known, as `postgresOwners(database)` of `@orders/persistence`. */
export interface OwnerDirectory {
  list(after: Owner | null, limit: number): ResultAsync<ListedOwners, Unavailable>;
  listSet(after: Owner | null, limit: number): ResultAsync<ListedOwners, Unavailable>;
  describe(owners: readonly Owner[]): ResultAsync<ListedOwners, Unavailable>;
}

/** What an operator did. */
export interface AuditEntry extends Auditing {
  /** `null` for what is about no owner. */
  readonly owner: Owner | null;
  /** The id of the operation. */
  readonly action: string;
  readonly subject: string | null;
  /** The version of the subject that it made. Default: none. */
  readonly version?: number | undefined;
}

/** The same, as it is listed. */
interface AuditRecord extends Omit<AuditEntry, 'version'> {
  readonly id: string;
  readonly occurred_at: Timestamp;
}

/** Stores what operators write about orders, as `postgresOrderComments(database)` of `@orders/persistence`. */
export interface OrderCommentStore {
  /** Writes a comment with its record, or what was written with the key. */
  add(
    owner: Owner,
    comment: { readonly order_id: string; readonly text: string; readonly key?: string | undefined },
    by: Auditing,
  ): ResultAsync<
    { readonly comment: OrderComment; readonly replayed: boolean },
    OrderNotFound | { readonly type: 'too_many_comments' } | KeyReused | Unavailable
  >;
}

/** Records what operators do, as `postgresAudit(database)` of `@orders/persistence`. */
export interface OperatorAudit {
  record(entry: AuditEntry): ResultAsync<null, Unavailable>;
  /** Returns records from the newest on, before an id, and whether none is missing because a node is down. */
  list(query: {
    readonly owner: Owner | null;
    readonly before: string | null;
    readonly limit: number;
  }): ResultAsync<{ readonly records: readonly AuditRecord[]; readonly is_complete: boolean }, Unavailable>;
}

/**
 * Does a write for an owner on the use cases of one transaction, and records `entryOf` it in the same one: both or neither.
 * Returns what the work returned.
 */
export type AuditedWrite = <T>(
  owner: Owner,
  work: (domain: Domain<OrderDefinition>) => PromiseLike<Result<T, Problem>>,
  entryOf: () => AuditEntry,
) => ResultAsync<T, Problem | Unavailable>;

/** Whose resources an operation is about: those of one owner, of one or all, or none. */
type Scoped = 'owner' | 'owner_or_all' | 'none';

/** One operation of the listener for operators, at a path of its own. */
export type OperatorOperation = Served & {
  readonly role: OperatorRole;
  /** The least role of each kind of resource that it is about, where these differ. Default: `role`, for all. */
  readonly kinds?: Readonly<Record<string, OperatorRole>>;
  readonly about: Scoped;
  /** Whether it needs a reason, which is recorded. */
  readonly changes: boolean;
  /** The response has personal data for `support` and `admin`, once it is recorded. Others never have any. */
  readonly reveals: (request: FastifyRequest) => boolean;
  /** The token is that of a link, in place of a session. */
  readonly signsIn?: true;
};

/** How long a link to sign in works, a session lasts, and one without use, in milliseconds. */
const [LINK_MS, SESSION_MS, IDLE_MS] = [15 * 60_000, 8 * 3_600_000, 3_600_000];

/** A token, which is shown once. */
export interface IssuedToken extends NewToken {
  readonly token: string;
}

/** What every token of a link or session begins with. */
const PREFIX = 'ops_';

/** Whether a text has the form of a token of a link or session. */
export function isOperatorToken(text: string | null): boolean {
  return text?.startsWith(PREFIX) ?? false;
}

function issueToken(now: Date, lifetimeMs: number): IssuedToken {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  const expires_at = new Date(now.getTime() + lifetimeMs).toISOString();
  return { id: randomUUID(), token, tokenHash: hashApiKey(token), created_at: now.toISOString(), expires_at };
}

/** Returns the token of a link that signs in once, within 15 minutes. */
export function newSignInToken(now: Date): IssuedToken {
  return issueToken(now, LINK_MS);
}

/** Returns the token of a session of eight hours. */
export function newSessionToken(now: Date): IssuedToken {
  return issueToken(now, SESSION_MS);
}

/** Returns the time since which a session must have been used. */
export function idleSince(now: Date): Timestamp {
  return new Date(now.getTime() - IDLE_MS).toISOString();
}

/** Returns the link of a token, which is in the fragment: no server and no log gets it. */
export function signInLink(adminUrl: string, token: string): string {
  return `${adminUrl}/#sign-in=${token}`;
}
