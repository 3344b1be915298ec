import type { Owner } from '@orders/domain';
import { CLAIM_MS, type Claim, type FeedPosition, type OwnerCheckpoints } from '@orders/domain/events';
import { sql } from '../sql/sql.ts';
import type { OrdersDatabase } from '../database/database.ts';
import type { OwnerStepOptions } from '../owners/owner-walk.ts';
import type { Orm } from '../tables/orm.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import { ChangeWatch } from './change-watch.ts';
import { ownerSearch } from './owner-search.ts';

/** A checkpoint as the driver returns it. */
export interface CheckpointRow {
  readonly position: string | null;
  readonly event: string | null;
}

interface ClaimRow extends CheckpointRow {
  readonly fence: string;
}

/** A name that no consumer has. */
const NO_CONSUMER = '';

interface Consumer {
  readonly owner_id: Owner;
  readonly name: string;
}

interface Claimed extends Consumer {
  readonly fence: number;
}

type SaveValues = Consumer & FeedPosition;

/** Returns the statements on checkpoints. */
function checkpointStatements(orm: Orm) {
  const isOf = (p: Parameter<Consumer>) => sql`c.owner_id = ${p('owner_id')} and c.name = ${p('name')}`;
  const isClaimed = (p: Parameter<Claimed>) =>
    sql`${isOf(p)} and c.fence = ${p('fence')}::bigint and c.held_until is not null`;
  const claimEnd = sql`now() + ${sql.lit(CLAIM_MS)} * interval '1 millisecond'`;
  return {
    load: prepare<Consumer, CheckpointRow>(orm)`select c.position, c.event from our.checkpoints as c where ${isOf}`,

    save: prepare<SaveValues, object>(orm)`
        insert into our.checkpoints (owner_id, name, position, event, fence)
        values (${'owner_id'}, ${'name'}, ${'position'}::bigint,
          ${'event'}, 0)
        on conflict (owner_id, name) do update set position = excluded.position, event = excluded.event, held_until = null
        returning owner_id`,

    /** Claims a checkpoint that exists. */
    claim: prepare<Consumer, ClaimRow>(orm)`
        update our.checkpoints as c set fence = c.fence + 1, held_until = ${claimEnd}
        where ${isOf} and (c.held_until is null or c.held_until <= now())
        returning c.position, c.event, c.fence`,

    /** Creates a checkpoint with a claim. Citus allows no clock in the condition of an update after a conflict. */
    create: prepare<Consumer, ClaimRow>(orm)`
        insert into our.checkpoints (owner_id, name, fence, held_until)
        values (${'owner_id'}, ${'name'}, 1, ${claimEnd})
        on conflict (owner_id, name) do nothing
        returning position, event, fence`,

    /** Creates a checkpoint without a position, if it does not exist. */
    ensure: prepare<Consumer, object>(orm)`
        insert into our.checkpoints (owner_id, name, fence)
        values (${'owner_id'}, ${'name'}, 0)
        on conflict (owner_id, name) do nothing returning owner_id`,

    saveClaimed: prepare<SaveValues & Claimed, object>(orm)`
        update our.checkpoints as c set position = ${'position'}::bigint,
          event = ${'event'}, held_until = ${claimEnd}
        where ${isClaimed} returning c.owner_id`,

    release: prepare<Claimed, object>(orm)`
        update our.checkpoints as c set held_until = null where ${isClaimed} returning c.owner_id`,
  };
}

export function toFeedPosition({ position, event }: CheckpointRow): FeedPosition | null {
  return position === null || event === null ? null : { position: Number(position), event };
}

/**
 * Returns a function that loads a checkpoint, and creates it without a position if it does not exist.
 *
 * @internal
 */
export function loadOrCreateCheckpoint({ orm, primary }: Pick<OrdersDatabase, 'orm' | 'primary'>) {
  const { load, ensure } = checkpointStatements(orm);
  return async (owner: Owner, name: string): Promise<FeedPosition | null> => {
    const consumer = { owner_id: owner, name };
    const [row] = await load(primary, consumer);
    if (!row) await ensure(primary, consumer);
    return row ? toFeedPosition(row) : null;
  };
}

/** Returns the checkpoints of consumers in PostgreSQL. The options are about the search for owners. */
export function postgresCheckpoints(database: OrdersDatabase, options: OwnerStepOptions = {}): OwnerCheckpoints {
  const { orm, primary } = database;
  const statements = checkpointStatements(orm);
  const search = ownerSearch(database, options);
  const watch = watchOf(database);
  const consumerOf = (owner: Owner, name: string) => ({ owner_id: owner, name });

  const load = async (owner: Owner, name: string) => {
    const [row] = await statements.load(primary, consumerOf(owner, name));
    return row ? toFeedPosition(row) : null;
  };
  const save = async (owner: Owner, name: string, { position, event }: FeedPosition) => {
    await statements.save(primary, { ...consumerOf(owner, name), position, event });
  };
  const claim = async (owner: Owner, name: string): Promise<Claim | null> => {
    const values = consumerOf(owner, name);
    const [claimed] = await statements.claim(primary, values);
    const [row] = claimed ? [claimed] : await statements.create(primary, values);
    return row ? { fence: Number(row.fence), position: toFeedPosition(row) } : null;
  };
  const saveClaimed = async (owner: Owner, name: string, fence: number, { position, event }: FeedPosition) => {
    const values = { ...consumerOf(owner, name), fence, position, event };
    return (await statements.saveClaimed(primary, values)).length > 0;
  };
  const release = async (owner: Owner, name: string, fence: number) => {
    await statements.release(primary, { ...consumerOf(owner, name), fence });
  };

  return {
    load: (...consumer) => orUnavailable(load(...consumer)),
    save: (...saved) => orUnavailable(save(...saved)),
    claim: (...consumer) => orUnavailable(claim(...consumer)),
    saveClaimed: (...saved) => orUnavailable(saveClaimed(...saved)),
    release: (...claimed) => orUnavailable(release(...claimed)),
    listOwners: (after) => orUnavailable(search(NO_CONSUMER, after)),
    findBehind: (name, after) => orUnavailable(search(name, after)),
    waitForChanges: (state, options) => watch.wait(state, options),
  };
}

/** The waits for changes of each database. */
const watches = new WeakMap<OrdersDatabase['primary'], ChangeWatch>();

/** Returns what all consumers of a database wait by. */
function watchOf(database: OrdersDatabase): ChangeWatch {
  const watch = watches.get(database.primary) ?? new ChangeWatch(database);
  watches.set(database.primary, watch);
  return watch;
}
