import type { Owner } from '@orders/domain';
import type { Checkpoints, FeedPosition } from '@orders/domain/events';
import { sql } from 'kysely';
import { ok } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import type { Orm } from '../tables/orm.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';

/** A checkpoint as the driver returns it. */
interface CheckpointRow {
  readonly position: string;
  readonly event: string;
}

interface Consumer {
  readonly consumer: { readonly owner_id: Owner; readonly name: string };
}

interface SaveValues extends Consumer {
  readonly checkpoint: FeedPosition;
}

/** Returns the statements on checkpoints. */
function checkpointStatements(orm: Orm) {
  return {
    load: prepare<Consumer, CheckpointRow>(
      orm,
      (p) => sql<CheckpointRow>`select position, event from our.checkpoints
        where owner_id = ${p('consumer', 'owner_id')} and name = ${p('consumer', 'name')}`,
    ),

    save: prepare<SaveValues, object>(
      orm,
      (p) => sql<object>`
        insert into our.checkpoints (owner_id, name, position, event)
        values (${p('consumer', 'owner_id')}, ${p('consumer', 'name')}, ${p('checkpoint', 'position')}::bigint,
          ${p('checkpoint', 'event')})
        on conflict (owner_id, name) do update set position = excluded.position, event = excluded.event
        returning owner_id`,
    ),
  };
}

function toFeedPosition({ position, event }: CheckpointRow): FeedPosition {
  return { position: Number(position), event };
}

/** Returns the checkpoints of consumers in PostgreSQL. */
export function postgresCheckpoints(database: OrdersDatabase): Checkpoints {
  const { orm, primary } = database;
  const statements = checkpointStatements(orm);
  return {
    load: (owner, name) => {
      const load = async () => {
        const [row] = await statements.load(primary, { consumer: { owner_id: owner, name } });
        return ok(row ? toFeedPosition(row) : null);
      };
      return toResultAsync(load());
    },
    save: (owner, name, { position, event }) => {
      const save = async () => {
        const consumer = { owner_id: owner, name };
        await statements.save(primary, { consumer, checkpoint: { position, event } });
        return ok(undefined);
      };
      return toResultAsync(save());
    },
  };
}
