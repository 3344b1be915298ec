import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { Executor } from '../postgres/executor.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import { OwnerWalk } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { retry } from '../postgres/retry.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { inSchema } from '../tables/schema.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { TransactionClient } from '../transaction/transaction.ts';

/** What an operator did. */
export interface AuditEntry {
  /** The owner whom it was about; `null` for none. */
  readonly owner: Owner | null;
  /** Who did it: `operator:` and the id, or `command:` and the user of the operating system. */
  readonly actor: string;
  /** The operation, such as `get_order`. */
  readonly action: string;
  /** The id of what it was about; `null` if it is none. */
  readonly subject: string | null;
  /** Why; `null` if no reason was given, or once it is erased. */
  readonly reason: string | null;
  /** The version of the subject that it made, beside which a timeline has the reason. Default: none. */
  readonly version?: number | undefined;
}

/** What an operator did, and when. */
export interface AuditRecord extends Omit<AuditEntry, 'version'> {
  /** Rises with the time, but not within a millisecond. */
  readonly id: string;
  readonly occurred_at: Timestamp;
}

/** The newest records before a place. */
export interface AuditRecords {
  readonly records: readonly AuditRecord[];
  /** False if a node of Citus did not respond: records about its owners are missing. */
  readonly is_complete: boolean;
}

/** Which records to list, the newest first. */
export interface AuditQuery {
  /** `null` for those of all owners, and those without one. */
  readonly owner: Owner | null;
  /** The id before which the page begins; `null` for the newest. */
  readonly before: string | null;
  /** At most 1,000. */
  readonly limit: number;
}

/**
 * The record of what operators did. Nothing removes an entry; an erasure empties the reasons that are about a person. What
 * cannot be recorded is unavailable, also when the table is missing or may not be written.
 */
export interface AuditLog {
  /** Records an entry by itself. */
  record(entry: AuditEntry): ResultAsync<null, Unavailable>;
  /**
   * Records an entry in an open transaction, with what it is about.
   *
   * @throws {Error} PostgreSQL rejected the entry
   */
  recordWithin(client: TransactionClient, entry: AuditEntry): Promise<void>;
  list(query: AuditQuery): ResultAsync<AuditRecords, Unavailable>;
}

type Row = Omit<AuditRecord, 'owner'> & { readonly owner_id: Owner | null };

/** Who did it, and why. */
export type Auditing = Pick<AuditEntry, 'actor' | 'reason'>;

/** After every UUID. */
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const COLUMNS = 'id, occurred_at, actor, action, subject, reason';

/** Inserts an entry about an owner. A transaction of the domain sends the same text. */
const OF_OWNER = `insert into our.owner_audit (owner_id, ${COLUMNS}, version)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

/**
 * Returns what records an entry apart from the data of owners, also in a transaction: whatever node is down.
 *
 * @internal
 */
export function auditStatement(orm: Orm) {
  const insert = prepare<AuditRecord, object>(orm)`
      insert into our.operator_audit (id, occurred_at, owner, actor, action, subject, reason)
      values (${'id'}, ${'occurred_at'}, ${'owner'}, ${'actor'}, ${'action'}, ${'subject'}, ${'reason'})`;
  return (executor: Executor, { owner = null, actor, action, subject, reason }: Partial<AuditEntry> & AboutNone) =>
    insert(executor, { owner, actor, action, subject, reason, ...newRecord() });
}

type AboutNone = Omit<AuditEntry, 'owner'>;

/** What a write has changed. */
interface Changed {
  /** Default: none. */
  readonly owner?: Owner;
  readonly subject: string;
}

/**
 * Returns what does writes on what is not distributed, and records them, both or neither. What changed nothing is not
 * recorded, and `false`; nor is a write of the server itself, which is `by` none.
 *
 * @internal
 */
export function recordedWrites(database: OrdersDatabase) {
  const record = auditStatement(database.orm);
  return (
    by: Auditing | undefined,
    action: string,
    write: (executor: Executor) => Promise<Changed | undefined>,
  ): ResultAsync<boolean, Unavailable> => {
    const { primary } = database;
    const inTransaction = async (entry: Auditing) =>
      await primary.transaction(async (executor) => {
        const changed = await write(executor);
        if (changed) await record(executor, { ...entry, action, ...changed });
        return changed;
      });
    return orUnavailable(by ? retry(() => inTransaction(by)) : write(primary)).map((changed) => changed !== undefined);
  };
}

const IDS = uuidv7Ids();

function newRecord(): Pick<AuditRecord, 'id' | 'occurred_at'> {
  return { id: IDS.next(), occurred_at: new Date().toISOString() };
}

function toRecord({ owner_id: owner, occurred_at, ...row }: Row): AuditRecord {
  return { owner, ...row, occurred_at: readTimestamp(occurred_at) };
}

/** Returns the record of what operators did in this database. */
export function postgresAudit(database: OrdersDatabase): AuditLog {
  const { orm, primary } = database;
  const apart = auditStatement(orm);
  const ofOwner = inSchema(orm, OF_OWNER);
  const statements = {
    ofOwner: prepare<Omit<AuditQuery, 'owner'> & { owner_id: Owner }, Row>(orm)`
      select owner_id, id, occurred_at, actor, action, subject, reason from our.owner_audit
      where owner_id = ${'owner_id'} and id < ${'before'}::uuid order by id desc limit ${'limit'}::int`,
    ofAll: aboutOwners<Omit<AuditQuery, 'owner'>, Row>(orm)`
      select owner_id, id, occurred_at, actor, action, subject, reason from our.owner_audit
      where ${among('owner_id')} and id < ${'before'}::uuid order by id desc limit ${'limit'}::int`,
    apart: prepare<Omit<AuditQuery, 'owner'>, Row>(orm)`
      select owner as owner_id, id, occurred_at, actor, action, subject, reason from our.operator_audit
      where id < ${'before'}::uuid order by id desc limit ${'limit'}::int`,
    apartOfOwner: prepare<AuditQuery, Row>(orm)`
      select owner as owner_id, id, occurred_at, actor, action, subject, reason from our.operator_audit
      where owner = ${'owner'} and id < ${'before'}::uuid order by id desc limit ${'limit'}::int`,
  };
  const parametersOf = ({ owner, actor, action, subject, reason, version }: AuditEntry & { readonly owner: Owner }) => {
    const { id, occurred_at } = newRecord();
    return [owner, id, occurred_at, actor, action, subject, reason, version?.toString() ?? null];
  };
  return {
    record: (entry) => {
      const { owner } = entry;
      const insert = async () => {
        if (owner === null) await apart(primary, entry);
        else await primary.execute({ text: ofOwner, owner: 0 }, parametersOf({ ...entry, owner }));
        return null;
      };
      return orUnavailable(insert());
    },
    recordWithin: async (client, entry) => {
      if (entry.owner === null) throw new TypeError('an entry in a transaction of the domain is about an owner');
      await client.query(ofOwner, parametersOf({ ...entry, owner: entry.owner }));
    },
    list: ({ owner, before, limit }) => {
      const values = { before: before ?? NEWEST, limit };
      const read = async () => {
        let is_complete = true;
        const found: Row[] = [];
        const walk = new OwnerWalk(database, 'owner_audit', { onNodeDown: () => void (is_complete = false) });
        if (owner === null) {
          await walk.inReach(async (owners) => void found.push(...(await statements.ofAll(primary, values, owners))));
          found.push(...(await statements.apart(primary, values)));
        } else {
          found.push(...(await statements.ofOwner(primary, { owner_id: owner, ...values })));
          found.push(...(await statements.apartOfOwner(primary, { owner, ...values })));
        }
        const newest = found.toSorted((left, right) => (left.id < right.id ? 1 : -1)).slice(0, limit);
        return { records: newest.map(toRecord), is_complete };
      };
      return orUnavailable(read());
    },
  };
}
