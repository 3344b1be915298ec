import { Agent } from 'node:http';
import { exchange } from '../load/exchange.ts';
import { isResource } from '../load/resource.ts';

const ORDER = { items: [{ sku: 'X', name: 'X', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };

/** Places an order with one item and `more`, and returns its id. */
export async function placeOrder(url: string, apiKey: string, more: object = {}): Promise<string> {
  const agent = new Agent();
  const body = { ...ORDER, ...more };
  const request = { method: 'POST', path: '/v1/orders', headers: { 'x-api-key': apiKey }, body } as const;
  const response = await exchange(agent, url, request, 10_000);
  if (!('body' in response) || !isResource(response.body)) throw new Error('an order cannot be placed');
  return response.body.id;
}
