import type { Domain } from '@orders/domain';
import { type AbortSignalLike, type Checkpoints, consume, type EventFeed, type Timer } from '@orders/domain/events';
import type { BAKERY } from './bakery.ts';

/** What the oven needs of the program that runs it. */
export interface Kitchen {
  readonly domain: Domain<typeof BAKERY>;
  readonly feed: EventFeed<typeof BAKERY>;
  readonly checkpoints: Checkpoints;
  /** Puts the bread of an order into the oven. Rejects when it may have failed. */
  readonly putIn: (order: string) => Promise<void>;
  readonly timer: Timer | undefined;
  readonly signal: AbortSignalLike;
}

/** Bakes each order that a branch receives, until the signal is aborted. */
export async function runOven({ domain, feed, checkpoints, putIn, timer, signal }: Kitchen, branch: string) {
  const bake = async (id: string): Promise<void> => {
    if (!(await reach(domain, branch, id, 'baking'))) return;
    await putIn(id);
    await reach(domain, branch, id, 'ready');
  };
  await consume({
    feed,
    checkpoints,
    owner: branch,
    name: 'oven',
    timer,
    signal,
    types: ['order.placed'],
    handler: ({ resource }) => bake(resource.id),
  });
}

/** Moves an order to a status, once however often it is called. Returns false if the order was cancelled. */
async function reach(
  { changeOrder }: Domain<typeof BAKERY>,
  branch: string,
  id: string,
  status: 'baking' | 'ready',
): Promise<boolean> {
  const reached = await changeOrder(branch, id, { status }, { idempotencyKey: `${id}-${status}` });
  if (reached.isOk()) return true;
  const { error } = reached;
  if (error.type === 'invalid_status_transition' && error.current_status === 'cancelled') return false;
  // The event is delivered again.
  throw new Error(error.type);
}

/** The bakery's own list of what was put into the oven, by order. */
export function ovenList() {
  const orders: string[] = [];
  const add = (order: string): void => {
    if (!orders.includes(order)) orders.push(order);
  };
  return { orders, add };
}
