import type { DatabaseSync } from 'node:sqlite';
import type {
  AggregateStore,
  Conflict,
  DomainEvent,
  Idempotency,
  Loaded,
  Owner,
  Recorded,
  Write,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { parse } from './lists.ts';
import { inTransaction, orUnavailable } from './transaction.ts';

/** What one kind of aggregate has of its own. */
export interface Kind<A, E, Refused> {
  readonly kind: 'order' | 'customer' | 'erasure';
  /** Returns the name that no other aggregate of the owner may have; `null` if it has none. */
  readonly nameOf: (aggregate: A) => string | null;
  readonly toNameTaken: (id: string) => Refused;
  /** Returns why aggregates of the other kind do not allow a write, or `null`. */
  readonly findRefusal: (owner: Owner, write: Write<A, E>) => Refused | null;
  readonly deletionErases: boolean;
  /** Returns what an erasing change leaves of an earlier version. */
  readonly toErased: (aggregate: A) => A | null;
}

/** Returns the store of one kind of aggregate. */
export function sqliteAggregates<
  A extends { readonly id: string; readonly version: number },
  E extends DomainEvent<string>,
  Refused,
>(
  db: DatabaseSync,
  { kind, nameOf, toNameTaken, findRefusal, deletionErases, toErased }: Kind<A, E, Refused>,
): AggregateStore<A, E, Refused> & { readonly eraseVersions: (owner: Owner, id: string) => void } {
  const sql = db.createTagStore();

  const load = (owner: Owner, id: string): Loaded<A> | null => {
    const row = sql.get`
      select body from versions where owner = ${owner} and kind = ${kind} and id = ${id} and is_current`;
    return row ? { aggregate: parse<A>(row['body']) } : null;
  };

  const findRecorded = (owner: Owner, { key, fingerprint, now }: Idempotency): Recorded<A> | null => {
    const row = sql.get`
      select fingerprint, id, body from keys join versions using (owner, kind, id, version)
      where owner = ${owner} and key = ${key} and expires_at > ${now}`;
    if (!row) return null;
    const sameCommand = row['fingerprint'] === fingerprint;
    return { sameCommand, id: String(row['id']), aggregate: sameCommand ? parse<A | null>(row['body']) : null };
  };

  /** Stores a write, or returns why not. The caller has begun a transaction, and ends it. */
  const store = (owner: Owner, write: Write<A, E>): Result<null, Conflict<A, Refused>> => {
    const recorded = write.key ? findRecorded(owner, write.key) : null;
    if (recorded) return err({ type: 'key_used', recorded });

    const { id, version } = write.kind === 'create' ? write.after : write.before.aggregate;
    if (write.kind !== 'key_only') {
      const newest = sql.get`
        select version from versions where owner = ${owner} and kind = ${kind} and id = ${id} order by version desc`;
      if (write.kind === 'create' && newest) return err({ type: 'id_taken' });
      if (write.kind !== 'create' && newest?.['version'] !== version) return err({ type: 'stale' });
      const after = write.kind === 'delete' ? null : write.after;
      const refusal = findRefusal(owner, write) ?? (after && findNameTaken(owner, after));
      if (refusal !== null) return err({ type: 'refused', reason: refusal });
      const reason = write.kind === 'change' ? (write.reason ?? null) : null;
      if (write.kind === 'change' && write.erases) eraseVersions(owner, id);
      append(owner, id, write.event, reason, after);
    }

    if (write.key) {
      const { key, fingerprint, expires_at } = write.key;
      sql.run`
        replace into keys (owner, key, fingerprint, expires_at, kind, id, version)
        values (${owner}, ${key}, ${fingerprint}, ${expires_at}, ${kind}, ${id},
          ${write.kind === 'key_only' ? version : write.event.version})`;
    }
    return ok(null);
  };

  const findNameTaken = (owner: Owner, after: A): Refused | null => {
    const holder = sql.get`
      select id from versions
      where owner = ${owner} and kind = ${kind} and name = ${nameOf(after)} and id <> ${after.id} and is_current`;
    return holder ? toNameTaken(String(holder['id'])) : null;
  };

  const eraseVersions = (owner: Owner, id: string): void => {
    sql.run`
      update versions set event = json_set(event, '$.external_user_id', null)
      where owner = ${owner} and kind = ${kind} and id = ${id}`;
    const versions = sql.all`
      select version, body from versions where owner = ${owner} and kind = ${kind} and id = ${id} and body is not null`;
    for (const { version, body } of versions) {
      const erased = toErased(parse<A>(body));
      sql.run`
        update versions set reason = null, name = ${erased && nameOf(erased)}, body = ${erased && JSON.stringify(erased)}
        where owner = ${owner} and kind = ${kind} and id = ${id} and version = ${Number(version)}`;
    }
  };

  /** Appends a version, which becomes the current one; that of a deletion does not. */
  const append = (owner: Owner, id: string, event: E, reason: string | null, after: A | null): void => {
    sql.run`
      update versions set is_current = 0
      where owner = ${owner} and kind = ${kind} and id = ${id} and is_current`;
    sql.run`
      insert into versions (owner, kind, id, version, event, reason, body, name, is_current)
      values (${owner}, ${kind}, ${id}, ${event.version}, ${JSON.stringify(event)}, ${reason},
        ${after && JSON.stringify(after)}, ${after && nameOf(after)}, ${after ? 1 : 0})`;
    if (after || !deletionErases) return;
    sql.run`update versions set body = null, name = null where owner = ${owner} and kind = ${kind} and id = ${id}`;
  };

  return {
    eraseVersions,
    load: (owner, id) => orUnavailable(() => ok(load(owner, id))),
    findRecorded: (owner, key) => orUnavailable(() => ok(findRecorded(owner, key))),
    plan: () => ({ lookUpFirst: false, lockFirst: true }),
    commit: (owner, write) => inTransaction(db, () => store(owner, write)),
    commitLocked: (owner, id, lookUp, decide) =>
      inTransaction(db, () => {
        const recorded = lookUp ? findRecorded(owner, lookUp) : null;
        const { write, result } = decide({ loaded: recorded ? null : load(owner, id), recorded });
        return (write ? store(owner, write) : ok(null)).map(() => result);
      }),
  };
}
