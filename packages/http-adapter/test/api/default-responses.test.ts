import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { textAt } from '../fixtures/json.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';

const RECORDED = join(import.meta.dirname, 'default-responses.txt');

/** A request, whose `{place}` names a member of the response to an earlier request. */
type Step = readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown];

const STEPS: readonly Step[] = [
  ['POST', '/v1/webhook_endpoints', { url: 'https://example.com/', types: ['order.cancelled', 'order.placed'] }],
  ['POST', '/v1/webhook_endpoints', { url: 'https://example.com/', types: ['order.lost'] }],
  ['POST', '/v1/orders', aNewOrder({ note: 'Fragile', reference: 'PO-1', metadata: { channel: 'web' } })],
  ['GET', '{order}'],
  ['POST', '/v1/orders', aNewOrder({ custom: {}, status: 'paid', paid_at: null })],
  ['PATCH', '{order}', { status: 'paid' }],
  ['PATCH', '{order}', { status: 'delivered' }],
  ['PATCH', '{order}', { status: 'lost', cancel_reason: 'x', custom: null }],
  ['GET', '/v1/orders?status=paid,pending&limit=1'],
  ['GET', '/v1/orders?status=lost'],
  ['POST', '{order}/cancel', { reason: 'x' }],
  ['POST', '{order}/cancel'],
  ['PATCH', '{order}', { status: 'paid' }],
  ['PATCH', '{order}', { reference: 'PO-2' }],
  ['GET', '{order}/versions'],
  ['GET', '{order}/versions/2'],
  ['GET', '{order}/items'],
  ['DELETE', '{order}'],
  ['GET', '/v1/events?include=resource'],
  ['GET', '/v1/events?types=order.paid,order.cancelled'],
  ['GET', '/v1/events?types=order.pending'],
];

// Recorded before orders followed a definition: the default one must not change a byte. -u updates the file.
it('the default definition has the recorded responses, byte for byte', async () => {
  const { acme } = await anApi();
  let order = '';
  const lines: string[] = [];
  for (const [method, template, body] of STEPS) {
    const url = template.replace('{order}', order);
    const response = await acme.send({
      method,
      url,
      headers: { 'x-request-id': 'a', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    if (url === '/v1/orders' && response.status === 201) order = `/v1/orders/${textAt(response.body, 'id')}`;
    const { date: _, ...headers } = response.headers;
    lines.push(`${method} ${url}`, `${response.status} ${JSON.stringify(headers)}`, response.text, '');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot(RECORDED);
});
