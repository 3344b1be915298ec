import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import type { ClaimedDelivery, WebhookQueue } from '@orders/domain/webhooks';
import { err, ok, type Result } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import { feedStatements, type NumberedChange } from '../events/feed-statements.ts';
import { Numbering } from '../events/numbering.ts';
import { type AnyFeedEvent, readResources, toFeedEvent } from '../events/numbered-change.ts';
import { restoreOrderOf } from '../orders/order-snapshot.ts';
import { errorCode } from '../shared/error-code.ts';
import { toResultAsync } from '../shared/postgres-errors.ts';
import { jitter } from '../shared/retry.ts';
import { type ClaimRow, type FannedOut, queueStatements } from './queue-statements.ts';
import { type AnyEndpoint, toWebhookEndpoint } from './webhook-endpoint-row.ts';

/** A delivery of a definition that is known only when the program runs. */
type AnyClaim = ClaimedDelivery<OrderDefinition>;

/** Attempts of a claim that finds nothing but queues that other workers have locked, which takes milliseconds. */
const CLAIM_ATTEMPTS = 3;

/** The SQLSTATE code of a statement that waited too long for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Options of the queue in PostgreSQL. */
export interface WebhookQueueOptions {
  /**
   * Called when events have left the feed before an endpoint got them, because it was disabled, or no worker ran, for
   * longer than events are kept. Default: no-op.
   */
  readonly onExpired?: ((owner: Owner, endpointId: string, count: number) => void) | undefined;
}

/**
 * Returns the queue of webhook deliveries in PostgreSQL. Every change of an endpoint's deliveries locks its row in
 * `webhook_queues` first. A claim leaves out the endpoints whose queue is locked, and a fan-out waits 250 ms for one.
 */
export function postgresWebhookQueue<D extends OrderDefinition>(
  database: OrdersDatabase<D>,
  options?: WebhookQueueOptions,
): WebhookQueue<D>;
export function postgresWebhookQueue(database: OrdersDatabase, options: WebhookQueueOptions = {}): unknown {
  return webhookQueue(database, options);
}

function webhookQueue(database: OrdersDatabase, { onExpired }: WebhookQueueOptions): WebhookQueue<OrderDefinition> {
  const { orm, primary, definition } = database;
  const statements = queueStatements(orm);
  const resources = { ...feedStatements(orm, definition), restore: restoreOrderOf(definition) };
  const numbering = new Numbering(database);

  /** Returns whether more is left for an endpoint. A fan-out that cannot lock its queue leaves it to a later one. */
  const fanOutEndpoint = async (owner: Owner, endpointId: string): Promise<boolean> => {
    const call = { owner_id: owner, endpoint_id: endpointId };
    const rows = await statements
      .fanOut(primary, { call })
      .catch((cause: unknown): readonly { outcome: FannedOut }[] => {
        if (errorCode(cause) === LOCK_NOT_AVAILABLE) return [];
        throw cause;
      });
    const [row] = rows;
    if (!row) return false;
    if (row.outcome.expired > 0) onExpired?.(owner, endpointId, row.outcome.expired);
    return row.outcome.more;
  };

  /** Returns whether more events are left for an endpoint of the owner. */
  const fanOut = async (owner: Owner): Promise<boolean> => {
    const backlog = await statements.backlog(primary, { owner: { owner_id: owner } });
    const isUnnumbered = backlog[0]?.unnumbered === true;
    const isComplete = !isUnnumbered || (await numbering.number(owner));
    const behind = backlog.filter(({ is_behind: isBehind }) => isBehind || isUnnumbered);
    const more = await Promise.all(behind.map(({ endpoint_id: id }) => fanOutEndpoint(owner, id)));
    return !isComplete || more.includes(true);
  };

  const claimRows = async (owner: Owner, limit: number): Promise<readonly ClaimRow[]> => {
    for (let attempt = 1; ; attempt += 1) {
      const [row] = await statements.claim(primary, { call: { owner_id: owner, limit } });
      if (!row) throw new Error('a claim returned no row');
      const { claimed, busy, changed } = row.outcome;
      if (claimed.length > 0 || !(busy || changed) || attempt === CLAIM_ATTEMPTS) return claimed;
      if (changed) await fanOut(owner);
      else await sleep(jitter(attempt));
    }
  };

  /** Returns the events of changes by their positions, with the data of their resources. */
  const readEvents = async (
    owner: Owner,
    changes: readonly NumberedChange[],
  ): Promise<Result<readonly AnyFeedEvent[], Unavailable>> => {
    const events: AnyFeedEvent[] = [];
    // Each read returns as many as a page may have, one at least.
    while (events.length < changes.length) {
      const read = await readResources(resources, primary, owner, changes.slice(events.length));
      if (read.isErr()) return err(read.error);
      events.push(...read.value);
    }
    return ok(events);
  };

  const claim = async (owner: Owner, limit: number): Promise<Result<readonly AnyClaim[], Unavailable>> => {
    const rows = await claimRows(owner, limit);
    if (rows.length === 0) return ok([]);
    const positions = [...new Set(rows.map(({ position }) => position))].toSorted((left, right) => left - right);
    const [endpointRows, changes] = await Promise.all([
      statements.endpoints(primary, { owner: { owner_id: owner } }),
      statements.changes(primary, { feed: { owner_id: owner, positions } }),
    ]);
    const endpoints = new Map(endpointRows.map((row) => [row.id, toWebhookEndpoint(row)]));
    const including = new Set(
      rows.filter(({ endpoint_id: id }) => includesResource(endpoints.get(id))).map(({ position }) => position),
    );
    const full = await readEvents(
      owner,
      changes.filter(({ position }) => including.has(Number(position))),
    );
    if (full.isErr()) return err(full.error);
    const plainEvents = new Map(changes.map((change) => [Number(change.position), toFeedEvent(change)]));
    const fullEvents = new Map(full.value.map((event) => [event.position, event]));
    const claimed = rows
      .toSorted((left, right) => left.place - right.place)
      .flatMap(({ endpoint_id: id, position, attempt, fence }): readonly AnyClaim[] => {
        const endpoint = endpoints.get(id);
        const event = (includesResource(endpoint) ? fullEvents : plainEvents).get(position);
        // One of them was deleted meanwhile. The delivery leaves with it.
        return endpoint && event ? [{ endpoint, event, attempt, fence }] : [];
      });
    return ok(claimed);
  };

  return {
    findDue: (limit, after) => {
      const due = async () => {
        const rows = await primary.transaction(async (transaction) => {
          await statements.planAgain(transaction, {});
          return await statements.due(transaction, { page: { after: after ?? '', limit } });
        });
        return ok(rows.map(({ owner_id: owner }) => owner));
      };
      return toResultAsync(due());
    },

    fanOut: (owner) => toResultAsync(fanOut(owner).then((more) => ok(more))),

    claim: (owner, limit) => toResultAsync(claim(owner, limit)),

    settle: (owner, { endpoint, event, attempt, fence }, { status, error, duration_ms: duration }, settlement) => {
      const call = {
        owner_id: owner,
        endpoint_id: endpoint.id,
        position: event.position,
        fence,
        attempt,
        counts: settlement.counts === false ? 'false' : 'true',
        status: settlement.status,
        retry_in_ms: settlement.retryInMs,
        last_status: status,
        last_error: error,
        last_duration_ms: duration,
      };
      const settle = async () => {
        const [row] = await statements.settle(primary, { call });
        if (!row) throw new Error('a settlement returned no row');
        return ok({ recorded: row.outcome !== 'lost', isDead: row.outcome === 'dead' });
      };
      return toResultAsync(settle());
    },
  };
}

function includesResource(endpoint: AnyEndpoint | undefined): boolean {
  return endpoint?.include.includes('resource') === true;
}
