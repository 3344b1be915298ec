import { Agent } from 'node:http';
import { exchange } from '../load/exchange.ts';
import { isResource } from '../load/resource.ts';

/** An order with one item. */
export const ORDER = { items: [{ sku: 'X', name: 'X', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };

/** Places an order with one item and `more`, and returns its id. */
export async function placeOrder(url: string, apiKey: string, more: object = {}): Promise<string> {
  return await create(url, apiKey, '/v1/orders', { ...ORDER, ...more });
}

/** Creates an order or a customer, and returns its id. */
export async function create(url: string, apiKey: string, path: string, body: object): Promise<string> {
  const request = { method: 'POST', path, headers: { 'x-api-key': apiKey }, body } as const;
  const response = await exchange(new Agent(), url, request, 10_000);
  if (!('body' in response) || !isResource(response.body)) throw new Error(`nothing can be created at ${path}`);
  return response.body.id;
}
