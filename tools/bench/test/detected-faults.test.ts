import type { RawResponse } from '@orders/system-under-test';
import { expect, it } from 'vitest';
import { type CaseName, CASES, isExpected } from '../src/cases/cases.ts';
import { blanked, difference } from '../src/cases/compared-response.ts';

const ID = '019a7000-0000-7000-8000-000000000000';
const order = { id: ID, status: 'pending', total: { amount: 8970 } };

const response = (status: number, head: string, body: unknown = ''): RawResponse => {
  return { status, head, body: body === '' ? '' : JSON.stringify(body) };
};

/** What the comparison of responses compares. */
const compared = ({ status, head, body }: RawResponse) =>
  blanked({ status, headers: { head }, body: body === '' ? null : JSON.parse(body) });

const GET = response(200, 'ETag: "1-1"', order);
const LIST = response(200, '', { data: [order], page: { has_more: true } });
const CREATED = response(201, `ETag: "1-1"\r\nLocation: /v1/orders/${ID}`, order);
const CANCELLED = response(200, 'ETag: "2-1"', { ...order, status: 'cancelled' });
const NOT_MODIFIED = response(304, 'ETag: "1-1"');
const fields = ['items[0].sku', 'items[2].quantity'].map((field) => ({ field }));
const INVALID = response(422, 'Content-Type: application/problem+json', { code: 'validation_failed', errors: fields });

it.each<[string, CaseName, RawResponse, Partial<RawResponse>]>([
  ['another status', 'get', GET, { status: 203 }],
  ['another amount', 'get', GET, { body: GET.body.replace('8970', '8971') }],
  ['the end of a list', 'list', LIST, { body: LIST.body.replace('true', 'false') }],
  ['another location', 'create', CREATED, { head: 'ETag: "1-1"\r\nLocation: /elsewhere' }],
  ['another state', 'cancel', CANCELLED, { body: CANCELLED.body.replace('cancelled', 'pending') }],
  ['another entity tag', 'notModified', NOT_MODIFIED, { head: 'ETag: "9-1"' }],
  ['another invalid field', 'invalid', INVALID, { body: INVALID.body.replace('items[2]', 'items[1]') }],
])('the benchmark detects %s', (_, name, right, fault) => {
  const wrong = { ...right, ...fault };
  expect([isExpected(CASES[name], ID, right), isExpected(CASES[name], ID, wrong)]).toEqual([true, false]);
  expect(difference(compared(right), compared(right))).toBeUndefined();
  expect(difference(compared(right), compared(wrong))).toBeDefined();
});
