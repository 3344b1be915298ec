import type { Client } from './client.ts';
import { changeCustomer, createCustomer, deleteCustomer, getCustomer } from './customer-operations.ts';
import { listNewest } from './list-operations.ts';
import {
  cancelAgain,
  cancelOrder,
  changeNote,
  changeNothing,
  changeSharedOrder,
  changeStaleOrder,
  changeStatus,
  deleteOrder,
  getDeletedOrder,
  getOrder,
  placeOrder,
} from './order-operations.ts';

/** The operations of clients, with their weights. */
const MIX: readonly (readonly [number, (client: Client) => Promise<void>])[] = [
  [24, placeOrder],
  [12, changeNote],
  [16, changeStatus],
  [5, cancelOrder],
  [5, deleteOrder],
  [4, changeNothing],
  [2, cancelAgain],
  [2, changeStaleOrder],
  [8, getOrder],
  [2, getDeletedOrder],
  [3, listNewest],
  [4, createCustomer],
  [3, changeCustomer],
  [2, deleteCustomer],
  [2, getCustomer],
];

const TOTAL = MIX.reduce((sum, [weight]) => sum + weight, 0);

/** Runs a random operation; a share of `contended` goes to an order that all clients change. */
export async function doSomething(client: Client, shared: readonly string[], contended: number): Promise<void> {
  const id = client.random.chance(contended) ? client.random.pick(shared) : undefined;
  if (id !== undefined) return await changeSharedOrder(client, id);
  let left = client.random.below(TOTAL);
  for (const [weight, operation] of MIX) {
    left -= weight;
    if (left < 0) return await operation(client);
  }
}
