import { type OrderQueryInput, PAGE_LIMIT_DEFAULT, SORT_DEFAULT, SORTS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  type DomainUnderTest,
  fails,
  invalidFields,
  NOW,
  OTHER_CUSTOMER,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

/** Returns the references of one page in order, and whether another page follows. */
async function page(domain: DomainUnderTest, input?: OrderQueryInput) {
  const { data, next } = await succeeds(domain.listOrders(OWNER, input));
  return { references: data.map(({ reference }) => reference), more: next !== null };
}

/** Creates a domain with `count` orders, a millisecond apart, with references 1, 2, 3 and so on. */
async function aDomainWith(count: number): Promise<DomainUnderTest> {
  const domain = aDomain();
  for (let number = 1; number <= count; number += 1) {
    await aPlacedOrder(domain, { reference: `${number}` });
    domain.clock.advance(1);
  }
  return domain;
}

describe('a page of orders', () => {
  it('starts with the newest and has twenty orders by default', async () => {
    const domain = await aDomainWith(21);
    const { references, more } = await page(domain);
    expect(references).toEqual(Array.from({ length: 20 }, (_, index) => `${21 - index}`));
    expect(more).toBe(true);
    expect([PAGE_LIMIT_DEFAULT, SORT_DEFAULT]).toEqual([20, '-created_at']);
  });

  it('is followed by the remaining orders at its end position', async () => {
    const domain = await aDomainWith(5);
    const { data, next } = await succeeds(domain.listOrders(OWNER, { limit: 2 }));
    expect(next).toEqual({ value: '2026-01-02T03:04:05.681Z', id: data[1]?.id });
    expect(await page(domain, { limit: 2, after: next ?? undefined })).toEqual({ references: ['3', '2'], more: true });
    expect(await page(domain, { limit: 2, offset: 4 })).toEqual({ references: ['1'], more: false });
  });

  it('is sorted by the requested field', async () => {
    const domain = await aDomainWith(3);
    const [first] = (await succeeds(domain.listOrders(OWNER, { reference: '1' }))).data;
    await succeeds(domain.changeOrder(OWNER, first?.id ?? '', { note: 'changed last' }));
    const sorted = await Promise.all(SORTS.map(async (sort) => [sort, (await page(domain, { sort })).references]));
    expect(Object.fromEntries(sorted)).toEqual({
      created_at: ['1', '2', '3'],
      '-created_at': ['3', '2', '1'],
      updated_at: ['2', '3', '1'],
      '-updated_at': ['1', '3', '2'],
    });
  });

  it.each<[string, OrderQueryInput, string[]]>([
    ['a status', { status: ['paid'] }, ['2']],
    ['several statuses with a duplicate, in any order', { status: ['paid', 'pending', 'paid'] }, ['2', '1']],
    ['a customer in upper case', { customer_id: CUSTOMER.toUpperCase() }, ['2', '1']],
    ['a nonexistent customer', { customer_id: UNKNOWN_ID }, []],
    ['a reference', { reference: '3' }, ['3']],
    ['all filters together', { status: ['paid', 'cancelled'], customer_id: CUSTOMER, reference: '2' }, ['2']],
    ['filters that exclude each other', { status: ['paid'], reference: '3' }, []],
  ])('has only the orders that match %s', async (_, input, references) => {
    const domain = aDomain();
    await anOrderIn(domain, 'pending', { reference: '1', customer_id: CUSTOMER });
    await anOrderIn(domain, 'paid', { reference: '2', customer_id: CUSTOMER });
    await anOrderIn(domain, 'cancelled', { reference: '3', customer_id: OTHER_CUSTOMER });
    expect(await page(domain, input)).toEqual({ references, more: false });
  });

  it('has no orders of another owner', async () => {
    const domain = await aDomainWith(1);
    expect(await succeeds(domain.listOrders(OTHER_OWNER))).toEqual({ data: [], next: null });
  });

  it.each<OrderQueryInput>([
    { limit: 1 },
    { limit: 100 },
    { offset: 0 },
    { offset: 10_000 },
    { reference: 'x'.repeat(64) },
    { status: ['pending', 'paid', 'shipped', 'delivered', 'cancelled'] },
    { after: { value: NOW, id: UNKNOWN_ID } },
    { after: { value: '0001-01-01T00:00:00.000Z', id: UNKNOWN_ID.toUpperCase() } },
    { after: { value: '9999-12-31T23:59:59.999Z', id: UNKNOWN_ID }, limit: 100, sort: 'updated_at' },
  ])('is returned for %o', async (input) => {
    const { references } = await page(await aDomainWith(2), input);
    expect(references.length).toBeLessThanOrEqual(2);
  });
});

describe('an invalid query for orders', () => {
  it.each<[OrderQueryInput, string]>([
    [{ limit: 0 }, 'limit: out_of_range'],
    [{ limit: -1 }, 'limit: out_of_range'],
    [{ limit: 101 }, 'limit: out_of_range'],
    [{ limit: 1.5 }, 'limit: wrong_type'],
    [{ limit: Number.NaN }, 'limit: out_of_range'],
    [{ limit: Number.POSITIVE_INFINITY }, 'limit: out_of_range'],
    [{ offset: -1 }, 'offset: out_of_range'],
    [{ offset: 10_001 }, 'offset: out_of_range'],
    [{ offset: 0.5 }, 'offset: wrong_type'],
    [{ sort: '' }, 'sort: invalid_value'],
    [{ sort: 'total' }, 'sort: invalid_value'],
    [{ sort: '+created_at' }, 'sort: invalid_value'],
    [{ sort: 'CREATED_AT' }, 'sort: invalid_value'],
    [{ status: [] }, 'status: invalid_value'],
    [{ status: [''] }, 'status: invalid_value'],
    [{ status: Array.from({ length: 6 }, () => 'paid') }, 'status: invalid_value'],
    [{ status: ['paid', 'refunded'] }, 'status: invalid_value'],
    [{ status: ['Paid'] }, 'status: invalid_value'],
    [{ status: ['constructor'] }, 'status: invalid_value'],
    [{ status: Object.assign([], [['paid']]) }, 'status: invalid_value'],
    [{ customer_id: '' }, 'customer_id: invalid_format'],
    [{ customer_id: 'c-7' }, 'customer_id: invalid_format'],
    [{ customer_id: `${UNKNOWN_ID}\n` }, 'customer_id: invalid_format'],
    [{ customer_id: `0${UNKNOWN_ID}` }, 'customer_id: invalid_format'],
    [{ reference: '' }, 'reference: too_short'],
    [{ reference: 'x'.repeat(65) }, 'reference: too_long'],
    [{ reference: 'a\0' }, 'reference: invalid_value'],
    [{ reference: '\ud83c' }, 'reference: invalid_value'],
    [{ after: { value: NOW, id: UNKNOWN_ID }, offset: 0 }, 'offset: invalid_value'],
    [{ after: { value: NOW, id: UNKNOWN_ID }, offset: 20 }, 'offset: invalid_value'],
  ])('is rejected for %o with %s', async (input, field) => {
    expect(await fails(aDomain().listOrders(OWNER, input))).toMatchObject(invalidFields(field));
  });

  it.each([
    ['an empty value', '', UNKNOWN_ID],
    ['a number as value', '0', UNKNOWN_ID],
    ['a date', '2026-01-02', UNKNOWN_ID],
    ['no milliseconds', '2026-01-02T03:04:05Z', UNKNOWN_ID],
    ['microseconds', '2026-01-02T03:04:05.678000Z', UNKNOWN_ID],
    ['another offset', '2026-01-02T03:04:05.678+00:00', UNKNOWN_ID],
    ['a day that does not exist', '2026-02-30T03:04:05.678Z', UNKNOWN_ID],
    ['a trailing space', `${NOW} `, UNKNOWN_ID],
    ['the year zero', '0000-01-01T00:00:00.000Z', UNKNOWN_ID],
    ['a negative year', '-000001-01-01T00:00:00.000Z', UNKNOWN_ID],
    ['a year of more than four digits', '+010000-01-01T00:00:00.000Z', UNKNOWN_ID],
    ['an empty id', NOW, ''],
    ['a malformed id', NOW, "' or 1=1"],
    ['a line break after the id', NOW, `${UNKNOWN_ID}\n`],
  ])('is rejected for a forged position: %s', async (_, value, id) => {
    const error = await fails(aDomain().listOrders(OWNER, { after: { value, id } }));
    expect(error).toMatchObject(invalidFields('after: invalid_value'));
  });

  it('is rejected with all invalid members', async () => {
    const input = {
      sort: 'x',
      limit: 0,
      offset: -1,
      after: { value: '', id: '' },
      status: [],
      customer_id: '',
      reference: '',
    };
    const error = await fails(aDomain().listOrders(OWNER, input));
    expect(error).toMatchObject(
      invalidFields(
        'sort: invalid_value',
        'limit: out_of_range',
        'offset: out_of_range',
        'after: invalid_value',
        'offset: invalid_value',
        'status: invalid_value',
        'customer_id: invalid_format',
        'reference: too_short',
      ),
    );
  });
});
