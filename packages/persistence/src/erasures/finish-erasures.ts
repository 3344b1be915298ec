import type { Domain, ErasureWalk, OrderDefinition, Owner, Timestamp } from '@orders/domain';
import { OWNERS_PAGE_MAX, type OwnersPage, systemTimer, takeTurns, type TurnOptions } from '@orders/domain/events';
import { sql } from '../sql/sql.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { longPauseMs } from '../events/shared-runs.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import { type OwnerStepOptions, OwnerWalk, type Search } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';
import { IS_ERASING } from '../tables/customer-entity.ts';
import { IS_PENDING } from '../tables/erasure-entity.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';

/** Customers per statement. */
const PAGE = 1000;

/** Pending erasures that are counted. */
const COUNTED_MAX = 10_000;

/** The table with the owners of all erasures: also those of a guest, whose owner may have no customer. */
const WITH_ERASURES = 'changes';

/** The pause between two searches for owners with a pending erasure, in milliseconds. */
const SEARCH_MS = 2000;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A customer who is erased, or an order that was erased by email. */
export interface ErasedResource {
  readonly kind: 'customer' | 'order';
  readonly owner_id: Owner;
  readonly id: string;
  /** When the erasure was requested last: by then, the text of its orders was erased. */
  readonly erased_at: Timestamp;
}

type Place = Pick<ErasedResource, 'owner_id' | 'id'>;

/**
 * Reads the erased customers of all owners, then the orders that were erased by email, so that a database that is restored
 * from an earlier backup can erase them again.
 *
 * @throws {Error} the database query failed
 */
export async function* erasedResources(database: OrdersDatabase): AsyncGenerator<ErasedResource> {
  const { orm, primary } = database;
  const statements = {
    customer: prepare<Place, Omit<ErasedResource, 'kind'>>(orm)`
      select owner_id, id, erasure_requested_at as erased_at from our.customers
      where erased_at is not null and (owner_id, id) > (${'owner_id'}, ${'id'}::uuid)
      order by owner_id, id limit ${sql.lit(PAGE)}`,
    order: prepare<Place, Omit<ErasedResource, 'kind'>>(orm)`
      select owner_id, id, erased_at from our.erased_orders
      where (owner_id, id) > (${'owner_id'}, ${'id'}::uuid)
      order by owner_id, id limit ${sql.lit(PAGE)}`,
  };
  for (const kind of ['customer', 'order'] as const)
    for (let after: Place | undefined = { owner_id: '', id: FIRST_ID }; after;) {
      const rows = await statements[kind](primary, after);
      for (const row of rows) yield { kind, ...row, erased_at: readTimestamp(row.erased_at) };
      after = rows.length < PAGE ? undefined : rows.at(-1);
    }
}

/** Persons who are not erased yet. */
export interface PendingErasures {
  /** Their number, or 10,000 if there are more. */
  readonly count: number;
  /** When the first of these erasures was requested last; `null` without one. */
  readonly oldestAt: Timestamp | null;
}

/**
 * Counts the pending erasures of all owners, by an index that has these alone. While a node of Citus is down, it counts those of
 * the owners of the others.
 *
 * @throws {Error} the database query failed
 */
export async function countPendingErasures(
  database: OrdersDatabase,
  options: Pick<OwnerStepOptions, 'onNodeDown'> = {},
): Promise<PendingErasures> {
  const { orm, primary } = database;
  const statement = aboutOwners<object, { count: number; oldest_at: string | null }>(orm)`
      select count(*)::int as count, min(erasure_requested_at) as oldest_at from (
      (select erasure_requested_at from our.customers where ${sql.raw(IS_ERASING)} and ${among('owner_id')}
        limit ${sql.lit(COUNTED_MAX)})
      union all
      (select created_at from our.erasures where ${sql.raw(IS_PENDING)} and ${among('owner_id')}
        limit ${sql.lit(COUNTED_MAX)})
      limit ${sql.lit(COUNTED_MAX)}) as pending`;
  const found: { readonly count: number; readonly oldest_at: string | null }[] = [];
  await new OwnerWalk(database, WITH_ERASURES, options).inReach(
    async (owners) => void found.push(...(await statement(primary, {}, owners))),
  );
  const [oldest = null] = found.flatMap(({ oldest_at }) => readTimestampOrNull(oldest_at) ?? []).toSorted();
  const sum = found.reduce((counted, { count }) => counted + count, 0);
  return { count: Math.min(sum, COUNTED_MAX), oldestAt: oldest };
}

/** Options of {@link finishErasures}. */
export interface FinishErasuresOptions extends TurnOptions, OwnerStepOptions {
  /** Receives how many erasures of an owner are done, for logs. Default: no-op. */
  readonly onFinished?: ((owner: Owner, erasures: number) => void) | undefined;
}

/**
 * Finishes the pending erasures of all owners, until `signal` is aborted, by one walk over the versions of an owner for all
 * that are pending when it begins. Owners take turns, a batch each. The owner then rests for three times as long as the
 * batch took, and five seconds at most, so that other requests have the database meanwhile. Several servers may do so. A
 * walk that was interrupted begins again, which does nothing twice.
 *
 * Resolves after `signal` is aborted, and the current batches have ended.
 *
 * @param continueErasures the use case of a domain over this database
 */
export async function finishErasures<D extends OrderDefinition>(
  database: OrdersDatabase,
  continueErasures: Domain<D>['continueErasures'],
  { onFinished, onNodeDown, onPassedOver, ...options }: FinishErasuresOptions = {},
): Promise<void> {
  const { timer = systemTimer } = options;
  const findPending = pendingSearch(database, { onNodeDown });
  const walks = new Map<Owner, ErasureWalk>();
  await takeTurns({
    ...options,
    turn: async (owner) => {
      const began = timer.now();
      const progress = await continueErasures(owner, walks.get(owner));
      if (progress.isErr()) throw progress.error.cause;
      const { finished, next, passedOver } = progress.value;
      if (finished > 0) onFinished?.(owner, finished);
      if (passedOver) onPassedOver?.(owner, passedOver.cause);
      if (next === null) walks.delete(owner);
      else walks.set(owner, next);
      return { isMoreLeft: next !== null, ...(next && { pauseMs: longPauseMs(timer.now() - began) }) };
    },
    findOwners: (after) => orUnavailable(findPending(after)),
    searchMs: SEARCH_MS,
  });
}

/** Returns a function that finds the next owners with a pending erasure, for which there is an index with these alone. */
function pendingSearch(database: OrdersDatabase, options: OwnerStepOptions) {
  const pending = aboutOwners<{ after: Owner }, { readonly owner_id: Owner }>(database.orm)`
      (select owner_id from our.customers
        where ${sql.raw(IS_ERASING)} and owner_id > ${'after'} and ${among('owner_id')}
        order by owner_id limit ${sql.lit(OWNERS_PAGE_MAX)})
      union all
      (select owner_id from our.erasures
        where ${sql.raw(IS_PENDING)} and owner_id > ${'after'} and ${among('owner_id')}
        order by owner_id limit ${sql.lit(OWNERS_PAGE_MAX)})
      order by owner_id limit ${sql.lit(OWNERS_PAGE_MAX)}`;
  const search: Search<Owner> = async (after, owners) => {
    const rows = (await pending(database.primary, { after }, owners)).map(({ owner_id }) => owner_id);
    return { rows, next: rows.length < OWNERS_PAGE_MAX ? null : (rows.at(-1) ?? null) };
  };
  return async (after: Owner | null): Promise<OwnersPage> => {
    const { rows, next } = await new OwnerWalk(database, WITH_ERASURES, options).page(search, after ?? '');
    return { owners: [...new Set(rows)], next };
  };
}
