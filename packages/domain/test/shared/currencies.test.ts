import { CURRENCIES, minorUnits, WITHDRAWN_CURRENCIES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

const price = (amount: number, currency: string) => ({ amount, currency });

/** Currencies whose digits the data of `Intl` has changed or left out, with those of ISO 4217. */
const DIGITS = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF ADP BEF BYB BYR ESP GRD ITL LUF MGF PTE TPE TRL',
  2: 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK MRU PKR SOS SYP YER EUR BGN HRK MRO SLL STD TMM ZMK ZWD',
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

describe('the minor units of a currency', () => {
  it.each(Object.entries(DIGITS))('have %s digits by ISO 4217: %s', (digits, codes) => {
    for (const code of codes.split(' ')) expect([code, minorUnits(code)]).toEqual([code, Number(digits)]);
  });

  it('have two digits unless they are listed, and none if the currency is unknown', () => {
    const listed = new Set(`${DIGITS[0]} ${DIGITS[3]}`.split(' '));
    const others = [...CURRENCIES, ...WITHDRAWN_CURRENCIES].filter((code) => !listed.has(code));
    expect(new Set(others.map(minorUnits))).toEqual(new Set([2]));
    expect(() => minorUnits('eur')).toThrow(new RangeError('the currency "eur" is unknown'));
  });
});

describe('a withdrawn currency', () => {
  it('is of none that is in use, is imported, and stays that of later commands', async () => {
    for (const code of WITHDRAWN_CURRENCIES) expect(CURRENCIES.has(code)).toBe(false);
    const domain = aDomain();
    const items = [aLine({ unit_price: price(1000, 'BGN') })];
    const adjustments = [{ type: 'shipping', name: 'Post', amount: price(100, 'BGN') }];
    const body = { reference: 'PO-1', items, adjustments, total: price(1100, 'BGN') };
    const { order } = await succeeds(domain.importOrder(OWNER, body));
    const back = { adjustments: [{ type: 'refund', name: 'Back', amount: price(-400, 'BGN') }] };
    const { order: adjusted } = await succeeds(domain.adjustOrder(OWNER, order.id, back));
    expect(adjusted.total).toEqual(price(700, 'BGN'));
    const other = { adjustments: [{ type: 'fee', name: 'Fee', amount: price(1, 'HRK') }] };
    expect(await fails(domain.adjustOrder(OWNER, order.id, other))).toMatchObject({ type: 'currency_mismatch' });
  });

  it('is rejected when placing, by its name', async () => {
    const amount = price(1, 'HRK');
    const adjustments = [{ type: 'fee', name: 'Fee', amount }];
    const input = aBody({ items: [aLine({ unit_price: amount })], adjustments });
    const paths = ['items[0].unit_price', 'adjustments[0].amount'];
    const faults = paths.map(
      (path) => `${path}.currency: invalid_value (must be in use: HRK is withdrawn, and only imported)`,
    );
    expect(await fails(aDomain().placeOrder(OWNER, input))).toEqual(invalidFields(...faults));
  });
});
