import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, fails, OWNER, UNKNOWN_ID } from './a-domain.ts';
import { aWebhooks } from './a-webhooks.ts';

/** Returns the messages of an error, each with its field. */
async function messages(outcome: Promise<{ readonly type: string; readonly errors?: unknown }>): Promise<unknown> {
  const error = await outcome;
  if (!Array.isArray(error.errors)) return error.type;
  return error.errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`);
}

const place = (input: unknown) => messages(fails(aDomain().placeOrder(OWNER, input)));
const placeWith = (line: Readonly<Record<string, unknown>>) => place(aBody({ items: [aLine(line)] }));

async function change(patch: unknown): Promise<unknown> {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return await messages(fails(domain.changeOrder(OWNER, id, patch)));
}

const money = (amount: unknown, currency: unknown = 'EUR') => ({ unit_price: { amount, currency } });
const STATUSES = 'pending, paid, shipped, delivered, cancelled';
const SORTS = 'created_at, -created_at, updated_at, -updated_at';

describe('the messages of validation_failed', () => {
  it.each([
    [7, [' must be an object']],
    [{}, ['items is required']],
    [{ items: 1 }, ['items must be an array']],
    [{ items: [] }, ['items must have at least 1 item']],
    [{ items: Array.from({ length: 101 }, () => aLine()) }, ['items must have at most 100 items']],
    [{ items: [1] }, ['items[0] must be an object']],
    [aBody({ colour: 'red' }), ['colour is not a known field']],
    [aBody({ id: UNKNOWN_ID }), ['id is read-only']],
    [aBody({ customer_id: UNKNOWN_ID }), ['customer_id must be the id of an existing customer']],
    [aBody({ customer_id: 'c' }), ['customer_id must be a UUID']],
    [aBody({ customer_id: 5 }), ['customer_id must be a string']],
    [aBody({ reference: '' }), ['reference must have at least 1 character']],
    [aBody({ note: 'n'.repeat(2001) }), ['note must have at most 2000 characters']],
    [aBody({ note: '\0' }), ['note must not contain U+0000']],
    [aBody({ note: '\ud800' }), ['note must not contain a lone surrogate']],
    [aBody({ metadata: 1 }), ['metadata must be an object']],
    [aBody({ metadata: { '': 'a' } }), ['metadata[""] must have a key of at least 1 character']],
    [aBody({ metadata: { [`k${'k'.repeat(40)}`]: 'a' } }), [expect.stringContaining('a key of at most 40 characters')]],
    [aBody({ metadata: { a: null } }), ['metadata["a"] must be a string']],
  ])('are actionable for a new order: %o', async (input, expected) => {
    expect(await place(input)).toEqual(expected);
  });

  it.each([
    [{ sku: undefined }, ['items[0].sku is required']],
    [{ quantity: null }, ['items[0].quantity is required']],
    [{ quantity: '1' }, ['items[0].quantity must be an integer']],
    [{ quantity: 1.5 }, ['items[0].quantity must be an integer']],
    [{ quantity: 0 }, ['items[0].quantity must be from 1 to 1000000']],
    [{ unit_price: 5 }, ['items[0].unit_price must be an object with amount and currency']],
    [money(1, null), ['items[0].unit_price.currency is required']],
    [{ unit_price: { amount: 1 } }, ['items[0].unit_price.currency is required']],
    [money(1, 7), ['items[0].unit_price.currency must be a string']],
    [money(1, 'eur'), ['items[0].unit_price.currency must be an ISO 4217 currency code in upper case']],
  ])('are actionable for a line: %o', async (line, expected) => {
    expect(await placeWith(line)).toEqual(expected);
  });

  it.each([
    [7, [' must be an object']],
    [{ status: null }, ['status cannot be cleared']],
    [{ status: 7 }, ['status must be a string']],
    [{ status: 'lost' }, [`status must be one of ${STATUSES}`]],
    [{ cancel_reason: 'x' }, ['cancel_reason can be set only together with status cancelled']],
    [{ metadata: 1 }, ['metadata must be an object or null']],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])) },
      ['metadata must have at most 50 keys'],
    ],
  ])('are actionable for a change: %o', async (patch, expected) => {
    expect(await change(patch)).toEqual(expected);
  });

  it('are actionable for a cancellation', async () => {
    expect(await messages(fails(aDomain().cancelOrder(OWNER, UNKNOWN_ID, 7)))).toEqual([' must be an object']);
  });

  it('are actionable for a query', async () => {
    const after = { value: 'x', id: 'y' };
    const query = { sort: 'x', offset: 1, after, status: ['lost'] };
    expect(await messages(fails(aDomain().listOrders(OWNER, query)))).toEqual([
      `sort must be one of ${SORTS}`,
      'after must be the end position of a page',
      'offset cannot be combined with after',
      `status must be 1 to 5 of ${STATUSES}`,
    ]);
    const items = { offset: 1, after: { value: -1, id: 'y' } };
    expect(await messages(fails(aDomain().listOrderItems(OWNER, UNKNOWN_ID, items)))).toEqual([
      'after must be the end position of a page',
      'offset cannot be combined with after',
    ]);
    const versions = { limit: 0, after: { value: 0, id: 'y' }, at: 'x' };
    expect(await messages(fails(aDomain().listOrderVersions(OWNER, UNKNOWN_ID, versions)))).toEqual([
      'limit must be from 1 to 100',
      'after must be the end position of a page',
      'at must be an RFC 3339 date and time in the years 1 to 9999, such as 2026-01-02T03:04:05Z',
      'at cannot be combined with after',
    ]);
    // @ts-expect-error a program without types can pass any value
    const untyped = aDomain().listOrderVersions(OWNER, UNKNOWN_ID, { at: 7 });
    expect(await messages(fails(untyped))).toEqual(['at must be a string']);
  });

  it('are actionable for a customer', async () => {
    const domain = aDomain();
    const create = (input: unknown) => messages(fails(domain.createCustomer(OWNER, input)));
    expect(await create({ email: 'ab' })).toEqual(['email must have at least 3 characters']);
    expect(await create({ email: 'a b' })).toEqual([
      'email must be an email address: one @, something on both sides, no spaces',
    ]);
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
    expect(await create({ email: 'a@b', metadata })).toEqual(['metadata must have at most 50 keys']);
    expect(await create([])).toEqual([' must be an object']);
    expect(await messages(fails(domain.changeCustomer(OWNER, UNKNOWN_ID, 7)))).toEqual([' must be an object']);
    expect(await create({ email: 'a@b', created_at: 'x', updated_at: 'x' })).toEqual([
      'created_at is read-only',
      'updated_at is read-only',
    ]);
  });

  it('are actionable for a webhook endpoint and its deliveries', async () => {
    const webhooks = aWebhooks();
    const url = `https://${' '.repeat(2000)}`;
    expect(await messages(fails(webhooks.createEndpoint(OWNER, { url })))).toEqual([
      'url must have at most 2048 characters once it is encoded',
    ]);
    const change = (patch: unknown) => messages(fails(webhooks.changeEndpoint(OWNER, UNKNOWN_ID, patch)));
    expect(await change({ status: null })).toEqual(['status is required']);
    expect(await change({ status: 'lost' })).toEqual(['status must be one of enabled, disabled']);
    const query = { before: 0, status: 'lost' };
    expect(await messages(fails(webhooks.listDeliveries(OWNER, UNKNOWN_ID, query)))).toEqual([
      'before must be the end position of a page',
      'status must be one of pending, delivered, failed',
    ]);
    expect(await messages(fails(webhooks.redeliver(OWNER, UNKNOWN_ID, {})))).toEqual(['event_id is required']);
  });
});
