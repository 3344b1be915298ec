import type { OrderDefinition } from '@orders/domain';
import { type CancelFilter, type ListedOrder, parseOwnersOrderQuery } from '@orders/domain/operators';
import type { Database } from '../database/database.ts';
import { postgresAudit } from './audit.ts';
import { type Acted, type JobStep, type JobTransaction, thrown } from './job-step.ts';
import { listOfOwner } from './order-finder.ts';
import { handled } from '../transaction/handled.ts';

/** Orders that are read at a time. */
const PAGE = 100;

/** The actor of a change by a command, whose user only the audit has. */
const COMMAND = /^command:.*$/;

/**
 * Returns the step of a job that cancels orders: the next one of the owner, the newest first, as its use case does, in one
 * transaction with the record of it and the place. A count reads a page.
 */
export function cancelStep(database: Database<unknown, OrderDefinition>): JobStep {
  const { definition } = database;
  const audit = postgresAudit(database);
  const list = listOfOwner(database.orm, (read) => read(database.primary));
  const cancellable = definition.statuses.filter((status) => definition.lifecycle[status]?.includes(definition.cancel));

  return async (job, owner, at, limit) => {
    if (job.kind !== 'cancel') throw new TypeError('the job cancels nothing');
    const { id: jobId, created_at, actor, reason } = job;
    const { owner: _, statuses, ...filter }: CancelFilter = job.filter;
    const status = cancellable.filter((each) => statuses?.includes(each) !== false);
    const created_at_before = [filter.created_at_before ?? created_at, created_at].toSorted()[0];
    const isBehindJob = (filter.created_at_from ?? '') >= (created_at_before ?? created_at);
    if (status.length === 0 || isBehindJob) return { matched: 0, acts: [], next: null };
    const query = parseOwnersOrderQuery({ ...filter, status, created_at_before, limit: PAGE }, definition);
    if (query.isErr()) throw thrown(query.error);
    const listed = await list(owner, { ...query.value, after: isPosition(at) ? at : null });
    if (listed.isErr()) throw listed.error.cause;
    const { data, next } = listed.value;
    const cancel = async (order: ListedOrder, { domain, client }: JobTransaction): Promise<Acted> => {
      const options = {
        idempotencyKey: `job:${jobId}:${order.id}`,
        // One that has changed since may match no longer.
        ifVersion: [order.version],
        actor: actor.replace(COMMAND, 'command'),
      };
      const cancelled = await handled(domain.cancelOrder(owner, order.id, {}, options));
      if (cancelled.isErr()) {
        const { error } = cancelled;
        if (error.type === 'unavailable') throw error.cause;
        return { taken: 1, failed: 1, error: { owner, id: order.id, error: error.type } };
      }
      const { event } = cancelled.value;
      const entry = { owner, actor, action: 'cancel_order', subject: order.id, reason, version: event?.version };
      await audit.recordWithin(client, entry);
      return { taken: 1, failed: 0 };
    };
    const acts = data.slice(0, limit).map((order) => ({
      act: (transaction: JobTransaction) => cancel(order, transaction),
      next: { value: order.created_at, id: order.id },
    }));
    return { matched: data.length, acts, next };
  };
}

function isPosition(at: unknown): at is { readonly value: string; readonly id: string } {
  return typeof at === 'object' && at !== null && 'value' in at && 'id' in at;
}
