import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import {
  type Attempt,
  type ClaimedDelivery,
  type FannedOut,
  freshGapAfter,
  type Settlement,
  type WebhookQueue,
} from '@orders/domain/webhooks';
import { ok } from 'neverthrow';
import type { OrdersDatabase } from '../database.ts';
import { feedStatements } from '../events/feed-statements.ts';
import { restoredBy } from '../events/numbered-change.ts';
import { numberingOf } from '../events/numbering.ts';
import { errorCode } from '../postgres/error-code.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { jitter } from '../postgres/retry.ts';
import { fullEvents, includesResource, plainEvents } from './claimed-events.ts';
import { JointSettlements } from './joint-settlements.ts';
import { ownerRanges } from './owner-ranges.ts';
import { type ClaimRow, type FanOutResult, queueStatements } from './queue-statements.ts';
import { toWebhookEndpoint } from './webhook-endpoint-row.ts';

/** A delivery of a definition that is known only when the program runs. */
type AnyClaim = ClaimedDelivery<OrderDefinition>;

/** Attempts of a claim that finds nothing but queues that other workers have locked, which takes milliseconds. */
const CLAIM_ATTEMPTS = 3;

/** Maximum number of consecutive claims of events that cannot be read. */
const UNREADABLE_CLAIMS_MAX = 16;

/** The SQLSTATE code of a statement that waited too long for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Options of the queue in PostgreSQL. */
export interface WebhookQueueOptions extends OwnerStepOptions {
  /**
   * Called when events have left the feed before an endpoint got them, because it was disabled, or no worker ran, for
   * longer than events are kept. Default: no-op.
   */
  readonly onExpired?: ((owner: Owner, endpointId: string, count: number) => void) | undefined;
  /**
   * Called for each claim of an event that this release cannot read, because a later one has written it. It is claimed
   * again after a minute, and later events of its resource wait for it. Default: no-op.
   */
  readonly onUnreadable?: ((owner: Owner, endpointId: string, position: number, cause: unknown) => void) | undefined;
}

/** An attempt with its settlement. */
interface AttemptResult {
  readonly attempt: Pick<Attempt, 'status' | 'error' | 'duration_ms'>;
  readonly settlement: Settlement;
}

/** The settlement of a delivery whose event cannot be read: no attempt was made. */
const POSTPONED: AttemptResult = {
  attempt: { status: null, error: 'interrupted', duration_ms: 0 },
  settlement: { status: 'pending', retryInMs: 60_000, counts: false },
};

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

function webhookQueue(database: OrdersDatabase, options: WebhookQueueOptions): WebhookQueue<OrderDefinition> {
  const { orm, primary, definition } = database;
  const { onExpired, onUnreadable, onPassedOver } = options;
  const statements = queueStatements(orm);
  const resources = { ...feedStatements(orm), restored: restoredBy(definition) };
  const numbering = numberingOf(database);
  const nextOwners = ownerRanges(database, statements);

  /** Returns whether more is left for an endpoint. A fan-out that cannot lock its queue leaves it to a later one. */
  const fanOutEndpoint = async (owner: Owner, endpointId: string): Promise<boolean> => {
    const call = { owner_id: owner, endpoint_id: endpointId };
    const rows = await statements
      .fanOut(primary, { call })
      .catch((cause: unknown): readonly { outcome: FanOutResult }[] => {
        if (errorCode(cause) !== LOCK_NOT_AVAILABLE) throw cause;
        onPassedOver?.(owner, cause);
        return [];
      });
    const [row] = rows;
    if (!row) return false;
    if (row.outcome.expired > 0) onExpired?.(owner, endpointId, row.outcome.expired);
    return row.outcome.more;
  };

  const fanOut = async (owner: Owner): Promise<FannedOut> => {
    const backlog = await statements.backlog(primary, { owner: { owner_id: owner } });
    const isUnnumbered = backlog[0]?.unnumbered === true;
    const isComplete = !isUnnumbered || (await numbering.number(owner));
    const behind = backlog.filter(({ is_behind: isBehind }) => isBehind || isUnnumbered);
    // One after the other: together they would take all connections that requests of the owner may have.
    const more: boolean[] = [];
    for (const { endpoint_id: id } of behind) more.push(await fanOutEndpoint(owner, id));
    return { isMoreLeft: !isComplete || more.includes(true), hasEndpoints: backlog.length > 0 };
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

  const settlements = new JointSettlements(async (owner, endpointId, results) => {
    const call = { owner_id: owner, endpoint_id: endpointId, results: JSON.stringify(results) };
    const [row] = await statements.settle(primary, { call });
    if (row?.outcome.outcomes.length !== results.length) throw new Error('a settlement is not that of its results');
    return row.outcome;
  });

  const settle = async (
    owner: Owner,
    { endpoint_id, position, fence, attempt, gaps }: Omit<ClaimRow, 'place'>,
    result: AttemptResult,
  ) =>
    await settlements.record(owner, endpoint_id, {
      position,
      fence,
      attempt,
      counts: result.settlement.counts !== false,
      status: result.settlement.status,
      retry_in_ms: result.settlement.retryInMs,
      gaps,
      gap_ms: freshGapAfter(gaps, result.settlement),
      unless_dead: result.settlement.unlessDead === true,
      last_status: result.attempt.status,
      last_error: result.attempt.error,
      last_duration_ms: result.attempt.duration_ms,
    });

  /** Releases a delivery whose event cannot be read. Those of other aggregates go on meanwhile. */
  const postpone = async (owner: Owner, row: ClaimRow, { cause }: Unavailable): Promise<void> => {
    onUnreadable?.(owner, row.endpoint_id, row.position, cause);
    await settle(owner, row, POSTPONED);
  };

  /** Returns the claimed deliveries with their endpoints and events. */
  const readClaimed = async (owner: Owner, rows: readonly ClaimRow[]): Promise<readonly AnyClaim[]> => {
    const positions = [...new Set(rows.map(({ position }) => position))].toSorted((left, right) => left - right);
    const [endpointRows, [read]] = await Promise.all([
      statements.endpoints(primary, { owner: { owner_id: owner } }),
      statements.changes(primary, { call: { owner_id: owner, positions } }),
    ]);
    const changes = read?.outcome ?? [];
    const endpoints = new Map(endpointRows.map((row) => [row.id, toWebhookEndpoint(row)]));
    const including = new Set(
      rows.filter(({ endpoint_id: id }) => includesResource(endpoints.get(id))).map(({ position }) => position),
    );
    const included = changes.filter(({ position }) => including.has(Number(position)));
    const full = await fullEvents(resources, primary, owner, included);
    const plain = plainEvents(changes);
    const claimed: AnyClaim[] = [];
    for (const row of rows.toSorted((left, right) => left.place - right.place)) {
      const { endpoint_id: id, position, attempt, fence, gaps } = row;
      const endpoint = endpoints.get(id);
      const event = (includesResource(endpoint) ? full : plain).get(position);
      // One of them was deleted meanwhile. The delivery leaves with it.
      if (!endpoint || !event) continue;
      if (event.isOk()) claimed.push({ endpoint, event: event.value, attempt, fence, gaps });
      else await postpone(owner, row, event.error);
    }
    return claimed;
  };

  const claim = async (owner: Owner, limit: number): Promise<readonly AnyClaim[]> => {
    for (let count = 0; count < UNREADABLE_CLAIMS_MAX; count += 1) {
      const rows = await claimRows(owner, limit);
      const claimed = rows.length > 0 ? await readClaimed(owner, rows) : [];
      // None of them can be read: further ones wait behind them.
      if (claimed.length > 0 || rows.length === 0) return claimed;
    }
    return [];
  };

  return {
    findDue: (limit, after) => {
      const due = async () => {
        const walk = new OwnerWalk(database, 'webhook_endpoints', options);
        const page = { after: after ?? '', limit };
        const { rows, next } = await nextOwners(page, walk, statements.due);
        return ok({ owners: rows.map(({ owner_id: owner }) => owner), next });
      };
      return toResultAsync(due());
    },

    fanOut: (owner) => toResultAsync(fanOut(owner).then((fannedOut) => ok(fannedOut))),

    claim: (owner, limit) => toResultAsync(claim(owner, limit).then((claimed) => ok(claimed))),

    settle: (owner, { endpoint, event, ...claim }, attempt, settlement) => {
      const row = { endpoint_id: endpoint.id, position: event.position, ...claim };
      const settled = settle(owner, row, { attempt, settlement });
      return toResultAsync(
        settled.then(({ outcome, isMoreDue }) =>
          ok({ recorded: outcome.startsWith('recorded'), isDead: outcome.endsWith('dead'), isMoreDue }),
        ),
      );
    },
  };
}
