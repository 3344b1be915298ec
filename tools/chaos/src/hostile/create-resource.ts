import { Agent } from 'node:http';
import { exchange } from '../load/exchange.ts';
import { isResource } from '../load/resource.ts';

/** An order with one item. */
export const ORDER = { items: [{ sku: 'X', name: 'X', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };

/** Creates an order or a customer, and returns its id. */
export async function createResource(
  url: string,
  apiKey: string,
  path = '/v1/orders',
  body: object = ORDER,
): Promise<string> {
  const request = { method: 'POST', path, headers: { 'x-api-key': apiKey }, body } as const;
  const response = await exchange(new Agent(), url, request, 10_000);
  if (!('body' in response) || !isResource(response.body)) throw new Error(`nothing can be created at ${path}`);
  return response.body.id;
}
