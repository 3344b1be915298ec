import { Agent } from 'node:http';
import { exchange } from '../load/exchange.ts';

/** The maximum metadata of an order: 50 keys of 40 characters with values of 500. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, 'k'), 'v'.repeat(500)]),
);

const ORDER = { items: [{ sku: 'X', name: 'X', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };

/** Places orders with maximum metadata. */
export async function placeLargeOrders(url: string, apiKey: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const body = { ...ORDER, metadata: METADATA };
  for (let placed = 0; placed < count; placed += 1) {
    const request = { method: 'POST', path: '/v1/orders', headers: { 'x-api-key': apiKey }, body } as const;
    const response = await exchange(agent, url, request, 10_000);
    if (!('status' in response) || response.status !== 201) throw new Error('a large order cannot be placed');
  }
  agent.destroy();
}
