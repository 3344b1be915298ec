import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import {
  type Attempt,
  type FannedOut,
  freshGapAfter,
  type Settlement,
  type WebhookQueue,
} from '@orders/domain/webhooks';
import type { OrdersDatabase } from '../database/database.ts';
import { numberingOf } from '../events/numbering.ts';
import { errorCode } from '../postgres/error-code.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { claimedDeliveries } from './claimed-deliveries.ts';
import { JointSettlements, type SettlementRow } from './joint-settlements.ts';
import { ownerRanges } from './owner-ranges.ts';
import { type ClaimRow, type FanOutResult, type QueueStatements, queueStatements } from './queue-statements.ts';

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

/** A claim as it is settled. */
type Claimed = Omit<ClaimRow, 'place'>;

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
  const { orm, primary } = database;
  const statements = queueStatements(orm);
  const nextOwners = ownerRanges(database, statements);

  const fanOut = fanOutOf(database, statements, options);

  const settlements = new JointSettlements(async (owner, endpointId, results) => {
    const values = { owner_id: owner, endpoint_id: endpointId, results: JSON.stringify(results) };
    const [row] = await statements.settle(primary, values);
    if (row?.outcome.outcomes.length !== results.length) throw new Error('a settlement is not that of its results');
    return row.outcome;
  });

  const settle = (owner: Owner, claim: Claimed, result: AttemptResult) =>
    settlements.record(owner, claim.endpoint_id, toSettlement(claim, result));

  /** Releases a delivery whose event cannot be read. Those of other aggregates go on meanwhile. */
  const postpone = async (owner: Owner, row: ClaimRow, { cause }: Unavailable): Promise<void> => {
    options.onUnreadable?.(owner, row.endpoint_id, row.position, cause);
    await settle(owner, row, POSTPONED);
  };

  const claim = claimedDeliveries(database, statements, fanOut, postpone);

  return {
    findDue: (limit, after) => {
      const due = async () => {
        const walk = new OwnerWalk(database, 'webhook_endpoints', options);
        const page = { after: after ?? '', limit };
        const { rows, next } = await nextOwners(page, walk, statements.due);
        return { owners: rows.map(({ owner_id: owner }) => owner), next };
      };
      return orUnavailable(due());
    },

    fanOut: (owner) => orUnavailable(fanOut(owner)),

    claim: (owner, limit) => orUnavailable(claim(owner, limit)),

    settle: (owner, { endpoint, event, ...claim }, attempt, settlement) => {
      const row = { endpoint_id: endpoint.id, position: event.position, ...claim };
      const settled = settle(owner, row, { attempt, settlement });
      return orUnavailable(
        settled.then(({ outcome, isMoreDue }) => ({
          recorded: outcome.startsWith('recorded'),
          isDead: outcome.endsWith('dead'),
          isMoreDue,
        })),
      );
    },
  } satisfies WebhookQueue<OrderDefinition>;
}

function fanOutOf(
  database: OrdersDatabase,
  statements: QueueStatements,
  { onExpired, onPassedOver }: WebhookQueueOptions,
): (owner: Owner) => Promise<FannedOut> {
  const { primary } = database;
  const numbering = numberingOf(database);

  /** Returns whether more is left for an endpoint. A fan-out that cannot lock its queue leaves it to a later one. */
  const fanOutEndpoint = async (owner: Owner, endpointId: string): Promise<boolean> => {
    const rows = await statements
      .fanOut(primary, { owner_id: owner, endpoint_id: endpointId })
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

  return async (owner) => {
    const backlog = await statements.backlog(primary, { owner_id: owner });
    const isUnnumbered = backlog[0]?.unnumbered === true;
    const isComplete = !isUnnumbered || (await numbering.run(owner));
    const behind = backlog.filter(({ is_behind: isBehind }) => isBehind || isUnnumbered);
    // One after the other: together they would take all connections that requests of the owner may have.
    const more: boolean[] = [];
    for (const { endpoint_id: id } of behind) more.push(await fanOutEndpoint(owner, id));
    return { isMoreLeft: !isComplete || more.includes(true), hasEndpoints: backlog.length > 0 };
  };
}

function toSettlement({ position, fence, attempt, gaps }: Claimed, result: AttemptResult): SettlementRow {
  const { settlement, attempt: made } = result;
  return {
    position,
    fence,
    attempt,
    counts: settlement.counts !== false,
    status: settlement.status,
    retry_in_ms: settlement.retryInMs,
    gaps,
    gap_ms: freshGapAfter(gaps, settlement),
    unless_dead: settlement.unlessDead === true,
    last_status: made.status,
    last_error: made.error,
    last_duration_ms: made.duration_ms,
  };
}
