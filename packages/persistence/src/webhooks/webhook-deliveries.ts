import type { OrderDefinition, Owner } from '@orders/domain';
import type { WebhookDeliveries, WebhookDelivery } from '@orders/domain/webhooks';
import { err, ok } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { RowOf } from '../tables/entity.ts';
import { withEntityManager } from '../tables/with-entity-manager.ts';
import { WebhookDeliveryEntity } from '../tables/webhook-delivery-entity.ts';
import { queueStatements } from './queue-statements.ts';

/** Selects the time of the database, in the precision in which times are stored. */
const NOW = `select to_char(date_trunc('milliseconds', now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`;

function toDelivery(row: RowOf<typeof WebhookDeliveryEntity>): WebhookDelivery {
  const { event_id, position, type, status, attempts, due_at } = row;
  return {
    event_id,
    position,
    type,
    status,
    attempts,
    last_status: row.last_status ?? null,
    last_error: row.last_error ?? null,
    last_duration_ms: row.last_duration_ms ?? null,
    next_attempt_at: due_at ?? null,
  };
}

/** Returns the log of webhook deliveries in PostgreSQL. */
export function postgresWebhookDeliveries<D extends OrderDefinition>(database: OrdersDatabase<D>): WebhookDeliveries<D>;
export function postgresWebhookDeliveries(database: OrdersDatabase): unknown {
  const { orm, primary, writeListeners } = database;
  const statements = queueStatements(orm);
  /** Lets a worker of this process begin at once with what has become due. */
  const wakeFor = (owner: Owner): void => {
    for (const listener of writeListeners) listener.written(owner, 'webhook_endpoint');
  };
  return {
    list: (owner, endpointId, { limit, before, status }) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const where = {
          owner_id: owner,
          endpoint_id: endpointId,
          ...(before !== null && { position: { $lt: before } }),
          ...(status !== null && { status }),
        };
        const found = await em.find(entityOf(WebhookDeliveryEntity), where, {
          orderBy: { position: 'desc' },
          limit: limit + 1,
        });
        const rows = found.slice(0, limit);
        const last = found.length > limit ? rows.at(-1) : undefined;
        return { data: rows.map(toDelivery), next: last ? { value: last.position, id: last.event_id } : null };
      }),

    redeliver: (owner, endpointId, eventId) => {
      const where = { owner_id: owner, endpoint_id: endpointId, event_id: eventId };
      return withEntityManager(orm, async (em, { entityOf, raw }) => {
        // In a statement of its own: Citus calculates no times in a case.
        const [{ now } = { now: '' }] = await em.execute<readonly { readonly now: string }[]>(NOW);
        // One statement, so that a settlement at the same time comes before it or after it.
        await em.nativeUpdate(entityOf(WebhookDeliveryEntity), where, {
          status: 'pending',
          attempts: 0,
          fresh: false,
          redelivery: raw<boolean>(`status <> 'pending' or redelivery`),
          due_at: raw<string>(
            `case when status <> 'pending' or (due_at is not null and leased_until is null) then ?::timestamptz else due_at end`,
            [now],
          ),
          first_attempt_at: raw<string>(`case when status = 'pending' then first_attempt_at end`),
        });
        return await em.findOne(entityOf(WebhookDeliveryEntity), where);
      }).andThen((row) => {
        if (!row) return err({ type: 'delivery_not_found', event_id: eventId } as const);
        wakeFor(owner);
        return ok(toDelivery(row));
      });
    },

    resume: (owner, endpointId) =>
      withEntityManager(orm, async () => {
        const queue = { owner_id: owner, endpoint_id: endpointId };
        // Batch by batch, so that none keeps the queue from the workers for longer than milliseconds.
        for (let isMore = true; isMore;) isMore = (await statements.resume(primary, queue))[0]?.outcome.more === true;
        wakeFor(owner);
      }),
  } satisfies WebhookDeliveries<OrderDefinition>;
}
