import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type {
  DomainEvent,
  KeyReused,
  Idempotency,
  Owner,
  Page,
  PageQuery,
  Position,
  Timestamp,
  Unavailable,
} from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { assertStorable } from './storable.ts';
import { orUnavailable, inTransaction } from './transaction.ts';

interface Aggregate {
  readonly id: string;
  readonly version: number;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** An aggregate as it is to be, and the event to record with it. */
export interface Decision<A, Event> {
  readonly aggregate: A;
  readonly event: Event | null;
}

export interface Done<A, Event> extends Decision<A, Event> {
  readonly replayed: boolean;
}

/** One version of an aggregate: its event, and the aggregate after it unless that was deleted or erased. */
export interface Change<A, Event> {
  readonly event: Event;
  readonly snapshot: A | null;
}

/** What one kind of aggregate has of its own. */
export interface Kind<A, NotFound, Refused, DeletionRefused, Erased> {
  readonly table: 'orders' | 'customers';
  /** The columns beside `owner`, `id`, `created_at`, `updated_at` and `body`. */
  readonly columns: (aggregate: A) => Readonly<Record<string, SQLInputValue>>;
  readonly notFound: (id: string) => NotFound;
  /** The aggregate with its ids in lower case. */
  readonly withLowerIds: (aggregate: A) => A;
  /** The members that no update changes. */
  readonly fixed: (aggregate: A) => Partial<A>;
  /** What other rows say against keeping `aggregate`. */
  readonly refuse: (owner: Owner, aggregate: A) => Refused | null;
  /** What other rows say against deleting the aggregate. */
  readonly refuseDeletion: (owner: Owner, id: string) => DeletionRefused | null;
  /** The error of a retry whose version was erased; `null` where versions outlive a deletion. */
  readonly erased: ((id: string) => Erased) | null;
}

/** One kind of aggregate in its table. Each write is one transaction. */
export function aggregates<A extends Aggregate, Event extends DomainEvent<string>, N, R, D, F>(
  db: DatabaseSync,
  kind: Kind<A, N, R, D, F>,
) {
  const { table } = kind;
  const parse = (body: SQLOutputValue | undefined): A => {
    if (typeof body !== 'string') throw new Error('a body that is no text');
    // The column holds nothing but what `keep` wrote.
    return JSON.parse(body) as A;
  };

  function load(owner: Owner, id: string): Result<A, N> {
    const row = db.prepare(`select body from ${table} where owner = ? and id = ?`).get(owner, id.toLowerCase());
    return row ? ok(parse(row['body'])) : err(kind.notFound(id));
  }

  /** What the key was used for, if it was and has not expired. */
  function findRecord(owner: Owner, once: Idempotency | undefined): Result<Row | undefined, KeyReused> {
    if (!once) return ok(undefined);
    const used = db.prepare(
      'select fingerprint, aggregate, id, version from keys where owner = ? and key = ? and expires_at > ?',
    );
    const row = used.get(owner, once.key, once.now);
    const isRetry = row?.['fingerprint'] === once.fingerprint && row['aggregate'] === table;
    return !row || isRetry ? ok(row) : err({ type: 'idempotency_key_reused' });
  }

  function take(owner: Owner, once: Idempotency | undefined, id: string, version: number): void {
    if (!once) return;
    const { key, fingerprint, expires_at } = once;
    const values = [owner, key, fingerprint, expires_at, table, id, version];
    db.prepare('replace into keys values (?, ?, ?, ?, ?, ?, ?)').run(...values);
  }

  function record(owner: Owner, id: string, event: Event, expected: number, snapshot: string | null): void {
    const { version, occurred_at } = event;
    if (version !== expected) throw new Error(`the event has version ${version}, but version ${expected} is next`);
    const body = JSON.stringify({ ...event, id: event.id.toLowerCase(), aggregate_id: id });
    db.prepare(
      'insert into changes (owner, aggregate, id, version, occurred_at, event, snapshot) values (?, ?, ?, ?, ?, ?, ?)',
    ).run(owner, table, id, version, occurred_at, body, snapshot);
  }

  /** The changes of one aggregate that meet the condition, newest first. */
  function changes(
    owner: Owner,
    id: string,
    condition = 'true',
    ...values: readonly SQLInputValue[]
  ): readonly Change<A, Event>[] {
    const sql = `select event, snapshot from changes where owner = ? and aggregate = ? and id = ? and ${condition}`;
    const rows = db.prepare(`${sql} order by version desc`).all(owner, table, id.toLowerCase(), ...values);
    return rows.map(({ event, snapshot }) => ({
      // The column holds nothing but what `record` wrote.
      event: JSON.parse(String(event)) as Event,
      snapshot: snapshot === null ? null : parse(snapshot),
    }));
  }

  /** Returns the result in the key's record, if one exists, and acts otherwise. */
  function unlessRecorded<E>(owner: Owner, once: Idempotency | undefined, act: () => Result<Done<A, Event>, E>) {
    return findRecord(owner, once).andThen((row): Result<Done<A, Event>, E | F> => {
      if (!row) return act();
      const id = String(row['id']);
      const [change] = changes(owner, id, 'version = ?', Number(row['version']));
      if (change?.snapshot) return ok({ aggregate: change.snapshot, event: null, replayed: true });
      if (!kind.erased) throw new Error('a deletion was recorded under the fingerprint of another write');
      return err(kind.erased(id));
    });
  }

  function keep(owner: Owner, given: A, event: Event, expected: number, once?: Idempotency): Result<Done<A, Event>, R> {
    const aggregate = kind.withLowerIds(given);
    if (given.version !== expected) throw new Error(`version ${given.version}, but version ${expected} is next`);
    assertStorable(aggregate);
    assertStorable(event);
    const refused = kind.refuse(owner, aggregate);
    if (refused !== null) return err(refused);
    const { id, created_at, updated_at } = aggregate;
    const body = JSON.stringify(aggregate);
    const row = { owner, id, created_at, updated_at, body, ...kind.columns(aggregate) };
    const names = Object.keys(row);
    const sql =
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ` +
      `on conflict (owner, id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    db.prepare(sql).run(...Object.values(row));
    record(owner, id, event, expected, body);
    take(owner, once, id, event.version);
    return ok({ aggregate, event, replayed: false });
  }

  function insert(owner: Owner, aggregate: A, event: Event, once?: Idempotency): Result<Done<A, Event>, R> {
    if (changes(owner, aggregate.id).length > 0) throw new Error(`the id ${aggregate.id} exists: ids must be unique`);
    return keep(owner, aggregate, event, aggregate.version, once);
  }

  /** Keeps what a change decided about `before`; without an event that is nothing but the key. */
  function overwrite(owner: Owner, before: A, { aggregate, event }: Decision<A, Event>, once?: Idempotency) {
    if (event) return keep(owner, { ...aggregate, ...kind.fixed(before) }, event, before.version + 1, once);
    take(owner, once, before.id, before.version);
    return ok({ aggregate: before, event, replayed: false });
  }

  /** Leaves the events of an aggregate, and none of its values. */
  function erase(owner: Owner, id: string): void {
    db.prepare('update changes set snapshot = null where owner = ? and aggregate = ? and id = ?').run(owner, table, id);
  }

  return {
    changes,

    find: (owner: Owner, id: string) => orUnavailable(() => load(owner, id)),

    insert: (owner: Owner, aggregate: A, event: Event, once?: Idempotency) =>
      inTransaction(db, () => unlessRecorded(owner, once, () => insert(owner, aggregate, event, once))),

    update: <E>(owner: Owner, id: string, change: (before: A) => Result<Decision<A, Event>, E>, once?: Idempotency) =>
      inTransaction(db, () =>
        unlessRecorded<E | N | R>(owner, once, () =>
          load(owner, id).andThen((before) =>
            change(before).andThen((decision) => overwrite(owner, before, decision, once)),
          ),
        ),
      ),

    delete: <E>(owner: Owner, id: string, check: (before: A) => Result<Event, E>, once?: Idempotency) =>
      inTransaction(db, () =>
        findRecord(owner, once).andThen((row): Result<{ event: Event | null; replayed: boolean }, E | N | D> => {
          if (row) return ok({ event: null, replayed: true });
          return load(owner, id).andThen((before) =>
            check(before).andThen((event) => {
              const stored = before.id;
              assertStorable(event);
              const refused = kind.refuseDeletion(owner, stored);
              if (refused !== null) return err<never, D>(refused);
              db.prepare(`delete from ${table} where owner = ? and id = ?`).run(owner, stored);
              record(owner, stored, event, before.version + 1, null);
              if (kind.erased) erase(owner, stored);
              take(owner, once, stored, event.version);
              return ok({ event, replayed: false });
            }),
          );
        }),
      ),

    /** One page of the rows that meet every condition, as long as there is room for them, but of one row at least. */
    page(
      owner: Owner,
      { sort, after, limit, offset }: PageQuery,
      conditions: readonly (readonly [sql: string, ...values: readonly SQLInputValue[]])[],
      hasRoom: (aggregate: A) => boolean,
    ): ResultAsync<Page<A, Timestamp>, Unavailable> {
      const field = sort.endsWith('created_at') ? 'created_at' : 'updated_at';
      const [direction, beyond] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
      const all = [['owner = ?', owner], ...conditions];
      if (after) all.push([`(${field}, id) ${beyond} (?, ?)`, after.value, after.id.toLowerCase()]);
      const sql =
        `select body from ${table} where ${all.map(([condition]) => condition).join(' and ')} ` +
        `order by ${field} ${direction}, id ${direction} limit ? offset ?`;
      const values = all.flatMap(([, ...bound]) => bound);
      return orUnavailable(() => {
        const rest = db
          .prepare(sql)
          .all(...values, limit + 1, offset)
          .map(({ body }) => parse(body));
        return ok(firstPage(rest, limit, hasRoom, (last) => ({ value: last[field], id: last.id })));
      });
    },
  };
}

/** The first page of `rest`, as long as there is room, but of one element at least. */
export function firstPage<Element, Value>(
  rest: readonly Element[],
  limit: number,
  hasRoom: (element: Element) => boolean,
  positionOf: (last: Element) => Position<Value>,
): Page<Element, Value> {
  const end = rest.findIndex((element, index) => {
    const fits = hasRoom(element);
    return index === limit || (index > 0 && !fits);
  });
  const data = end < 0 ? rest : rest.slice(0, end);
  const last = data.at(-1);
  return { data, next: last && end >= 0 ? positionOf(last) : null };
}
