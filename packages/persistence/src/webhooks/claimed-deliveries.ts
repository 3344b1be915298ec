import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import type { ClaimedDelivery } from '@orders/domain/webhooks';
import type { Result } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { feedStatements, type NumberedChange } from '../events/feed-statements.ts';
import {
  type AnyFeedEvent,
  readEachResource,
  readEvent,
  type ReadsResources,
  restoredBy,
} from '../events/numbered-change.ts';
import type { Executor } from '../postgres/executor.ts';
import { jitter } from '../postgres/retry.ts';
import type { ClaimRow, QueueStatements } from './queue-statements.ts';
import { toWebhookEndpoint } from './webhook-endpoint-row.ts';

/** A delivery of a definition that is known only when the program runs. */
type AnyClaim = ClaimedDelivery<OrderDefinition>;

/** Attempts of a claim that finds nothing but queues that other workers have locked, which takes milliseconds. */
const CLAIM_ATTEMPTS = 3;

/** Maximum number of consecutive claims of events that cannot be read. */
const UNREADABLE_CLAIMS_MAX = 16;

/**
 * Returns the function that claims deliveries, with their endpoints and events. `fanOut` adds deliveries when the events of a
 * queue have changed, and `postpone` releases one whose event cannot be read.
 */
export function claimedDeliveries(
  { orm, primary, definition }: OrdersDatabase,
  statements: QueueStatements,
  fanOut: (owner: Owner) => Promise<unknown>,
  postpone: (owner: Owner, row: ClaimRow, unreadable: Unavailable) => Promise<void>,
): (owner: Owner, limit: number) => Promise<readonly AnyClaim[]> {
  const resources = { ...feedStatements(orm), restored: restoredBy(definition) };

  const claimRows = async (owner: Owner, limit: number): Promise<readonly ClaimRow[]> => {
    for (let attempt = 1; ; attempt += 1) {
      const [row] = await statements.claim(primary, { owner_id: owner, limit });
      if (!row) throw new Error('a claim returned no row');
      const { claimed, busy, changed } = row.outcome;
      if (claimed.length > 0 || !(busy || changed) || attempt === CLAIM_ATTEMPTS) return claimed;
      if (changed) await fanOut(owner);
      else await sleep(jitter(attempt));
    }
  };

  /** Returns the claimed deliveries with their endpoints and events. */
  const readClaimed = async (owner: Owner, rows: readonly ClaimRow[]): Promise<readonly AnyClaim[]> => {
    const positions = [...new Set(rows.map(({ position }) => position))].toSorted((left, right) => left - right);
    const [endpointRows, [read]] = await Promise.all([
      statements.endpoints(primary, { owner_id: owner }),
      statements.changes(primary, { owner_id: owner, positions }),
    ]);
    const changes = read?.outcome ?? [];
    const endpoints = new Map(endpointRows.map((row) => [row.id, toWebhookEndpoint(row)]));
    const includes = ({ endpoint_id: id }: ClaimRow) => endpoints.get(id)?.include.includes('resource') === true;
    const including = new Set(rows.filter(includes).map(({ position }) => position));
    const included = changes.filter(({ position }) => including.has(Number(position)));
    const full = await fullEvents(resources, primary, owner, included);
    const plain = new Map(changes.map((change) => [Number(change.position), readEvent(change)]));
    const claimed: AnyClaim[] = [];
    for (const row of rows.toSorted((left, right) => left.place - right.place)) {
      const { endpoint_id: id, position, attempt, fence, gaps } = row;
      const endpoint = endpoints.get(id);
      const event = (includes(row) ? full : plain).get(position);
      // One of them was deleted meanwhile. The delivery leaves with it.
      if (!endpoint || !event) continue;
      if (event.isOk()) claimed.push({ endpoint, event: event.value, attempt, fence, gaps });
      else await postpone(owner, row, event.error);
    }
    return claimed;
  };

  return async (owner, limit) => {
    for (let count = 0; count < UNREADABLE_CLAIMS_MAX; count += 1) {
      const rows = await claimRows(owner, limit);
      const claimed = rows.length > 0 ? await readClaimed(owner, rows) : [];
      // None of them can be read: further ones wait behind them.
      if (claimed.length > 0 || rows.length === 0) return claimed;
    }
    return [];
  };
}

/** Returns the events of changes with the data of their resources. */
async function fullEvents(
  statements: ReadsResources,
  executor: Executor,
  owner: Owner,
  changes: readonly NumberedChange[],
): Promise<ReadonlyMap<number, Result<AnyFeedEvent, Unavailable>>> {
  const events = new Map<number, Result<AnyFeedEvent, Unavailable>>();
  // Each read returns as many as a page may have, one at least.
  while (events.size < changes.length) {
    const read = await readEachResource(statements, executor, owner, changes.slice(events.size));
    for (const event of read) events.set(Number(changes[events.size]?.position), event);
  }
  return events;
}
