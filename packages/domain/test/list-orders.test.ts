import { type OrderQueryInput, PAGE_LIMIT_DEFAULT, SORT_DEFAULT, SORTS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  badFields,
  CUSTOMER,
  type DomainUnderTest,
  NOBODY,
  NOW,
  OTHER_CUSTOMER,
  OWNER,
  refuses,
  STRANGER,
  succeeds,
} from './a-domain.ts';

/** The references of one page, in its order, and whether another follows. */
async function page(domain: DomainUnderTest, input?: OrderQueryInput) {
  const { data, next } = await succeeds(domain.listOrders(OWNER, input));
  return { references: data.map(({ reference }) => reference), more: next !== null };
}

/** `count` orders, a millisecond apart, referred to as 1, 2, 3. */
async function aDomainWith(count: number): Promise<DomainUnderTest> {
  const domain = aDomain();
  for (let number = 1; number <= count; number += 1) {
    await aPlacedOrder(domain, { reference: `${number}` });
    domain.clock.advance(1);
  }
  return domain;
}

describe('a page of orders', () => {
  it('begins with the newest and has twenty, unless it is asked otherwise', async () => {
    const domain = await aDomainWith(21);
    const { references, more } = await page(domain);
    expect(references).toEqual(Array.from({ length: 20 }, (_, index) => `${21 - index}`));
    expect(more).toBe(true);
    expect([PAGE_LIMIT_DEFAULT, SORT_DEFAULT]).toEqual([20, '-created_at']);
  });

  it('is followed by the rest, from where it ended', async () => {
    const domain = await aDomainWith(5);
    const { data, next } = await succeeds(domain.listOrders(OWNER, { limit: 2 }));
    expect(next).toEqual({ value: '2026-01-02T03:04:05.681Z', id: data[1]?.id });
    expect(await page(domain, { limit: 2, after: next ?? undefined })).toEqual({ references: ['3', '2'], more: true });
    expect(await page(domain, { limit: 2, offset: 4 })).toEqual({ references: ['1'], more: false });
  });

  it('is sorted as asked', async () => {
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
    ['several statuses, one twice, in any order', { status: ['paid', 'pending', 'paid'] }, ['2', '1']],
    ['a customer, spelled in any case', { customer_id: CUSTOMER.toUpperCase() }, ['2', '1']],
    ['a customer that nobody is', { customer_id: NOBODY }, []],
    ['a reference', { reference: '3' }, ['3']],
    ['everything together', { status: ['paid', 'cancelled'], customer_id: CUSTOMER, reference: '2' }, ['2']],
    ['what excludes each other', { status: ['paid'], reference: '3' }, []],
  ])('holds those of %s', async (_, input, references) => {
    const domain = aDomain();
    await anOrderIn(domain, 'pending', { reference: '1', customer_id: CUSTOMER });
    await anOrderIn(domain, 'paid', { reference: '2', customer_id: CUSTOMER });
    await anOrderIn(domain, 'cancelled', { reference: '3', customer_id: OTHER_CUSTOMER });
    expect(await page(domain, input)).toEqual({ references, more: false });
  });

  it("holds none of another owner's orders", async () => {
    const domain = await aDomainWith(1);
    expect(await succeeds(domain.listOrders(STRANGER))).toEqual({ data: [], next: null });
  });

  it.each<OrderQueryInput>([
    { limit: 1 },
    { limit: 100 },
    { offset: 0 },
    { offset: 10_000 },
    { reference: 'x'.repeat(64) },
    { status: ['pending', 'paid', 'shipped', 'delivered', 'cancelled'] },
    { after: { value: NOW, id: NOBODY } },
    { after: { value: '0001-01-01T00:00:00.000Z', id: NOBODY.toUpperCase() } },
    { after: { value: '9999-12-31T23:59:59.999Z', id: NOBODY }, limit: 100, sort: 'updated_at' },
  ])('may be asked for by %o', async (input) => {
    const { references } = await page(await aDomainWith(2), input);
    expect(references.length).toBeLessThanOrEqual(2);
  });
});

describe('a page of orders is refused', () => {
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
    [{ customer_id: '' }, 'customer_id: invalid_format'],
    [{ customer_id: 'c-7' }, 'customer_id: invalid_format'],
    [{ customer_id: `${NOBODY}\n` }, 'customer_id: invalid_format'],
    [{ customer_id: `0${NOBODY}` }, 'customer_id: invalid_format'],
    [{ reference: '' }, 'reference: too_short'],
    [{ reference: 'x'.repeat(65) }, 'reference: too_long'],
    [{ reference: 'a\0' }, 'reference: invalid_value'],
    [{ reference: '\ud83c' }, 'reference: invalid_value'],
    [{ after: { value: NOW, id: NOBODY }, offset: 0 }, 'offset: invalid_value'],
    [{ after: { value: NOW, id: NOBODY }, offset: 20 }, 'offset: invalid_value'],
  ])('for %o, which names %s', async (input, field) => {
    expect(await refuses(aDomain().listOrders(OWNER, input))).toMatchObject(badFields(field));
  });

  it.each([
    ['an empty value', '', NOBODY],
    ['a number for a value', '0', NOBODY],
    ['a date', '2026-01-02', NOBODY],
    ['no milliseconds', '2026-01-02T03:04:05Z', NOBODY],
    ['microseconds', '2026-01-02T03:04:05.678000Z', NOBODY],
    ['another offset', '2026-01-02T03:04:05.678+00:00', NOBODY],
    ['a day that does not exist', '2026-02-30T03:04:05.678Z', NOBODY],
    ['a space behind it', `${NOW} `, NOBODY],
    ['the year nought', '0000-01-01T00:00:00.000Z', NOBODY],
    ['a year before it', '-000001-01-01T00:00:00.000Z', NOBODY],
    ['a year of more than four digits', '+010000-01-01T00:00:00.000Z', NOBODY],
    ['an empty id', NOW, ''],
    ['an id that is none', NOW, "' or 1=1"],
    ['a line break behind the id', NOW, `${NOBODY}\n`],
  ])('for a forged position: %s', async (_, value, id) => {
    const refusal = await refuses(aDomain().listOrders(OWNER, { after: { value, id } }));
    expect(refusal).toMatchObject(badFields('after: invalid_value'));
  });

  it('naming everything that is bad about it', async () => {
    const input = {
      sort: 'x',
      limit: 0,
      offset: -1,
      after: { value: '', id: '' },
      status: [],
      customer_id: '',
      reference: '',
    };
    const refusal = await refuses(aDomain().listOrders(OWNER, input));
    expect(refusal).toMatchObject(
      badFields(
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
