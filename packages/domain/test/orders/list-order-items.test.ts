import type { ItemQueryInput, Position } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  type DomainUnderTest,
  fails,
  invalidFields,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

/** Places an order whose SKUs are 0, 1, 2 and so on, and whose names have the reverse order. */
function anOrderOf(domain: DomainUnderTest, lines: number) {
  const items = Array.from({ length: lines }, (_, line) => aLine({ sku: `${line}`, name: `${lines - line}` }));
  return aPlacedOrder(domain, { items });
}

const skus = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`);

/** Returns the SKUs of each page, from the first to the last. */
async function readAllPages(domain: DomainUnderTest, id: string, input: ItemQueryInput): Promise<string[][]> {
  const pages: string[][] = [];
  let query: ItemQueryInput | undefined = input;
  while (query) {
    const { data, next }: { data: readonly { sku: string }[]; next: Position<number> | null } = await succeeds(
      domain.listOrderItems(OWNER, id, query),
    );
    pages.push(data.map(({ sku }) => sku));
    expect(pages.length, 'pages of an order').toBeLessThanOrEqual(100);
    query = next ? { limit: input.limit, after: next } : undefined;
  }
  return pages;
}

describe('the items of an order', () => {
  it('are listed in line order, twenty per page by default', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 45);
    expect(await readAllPages(domain, id, {})).toEqual([skus(0, 20), skus(20, 40), skus(40, 45)]);
    const { data } = await succeeds(domain.listOrderItems(OWNER, id));
    expect(data).toEqual(items.slice(0, 20));
  });

  it.each([1, 2, 3, 6, 7, 8, 100])('are each listed once by position with %d per page', async (limit) => {
    const domain = aDomain();
    const { id } = await anOrderOf(domain, 7);
    const pages = await readAllPages(domain, id, { limit });
    expect(pages.flat()).toEqual(skus(0, 7));
    expect(pages).toHaveLength(Math.ceil(7 / limit));
  });

  it.each<[number, string[], boolean]>([
    [0, skus(0, 3), true],
    [3, skus(3, 6), true],
    [4, skus(4, 7), false],
    [6, ['6'], false],
    [7, [], false],
    [10_000, [], false],
  ])('are listed after an offset of %d', async (offset, expected, more) => {
    const domain = aDomain();
    const { id } = await anOrderOf(domain, 7);
    const { data, next } = await succeeds(domain.listOrderItems(OWNER, id, { limit: 3, offset }));
    expect(data.map(({ sku }) => sku)).toEqual(expected);
    expect(next !== null).toBe(more);
  });

  it('are continued by position after a page with an offset', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 7);
    expect(await readAllPages(domain, id, { limit: 2, offset: 3 })).toEqual([skus(3, 5), skus(5, 7)]);
    const { next } = await succeeds(domain.listOrderItems(OWNER, id, { limit: 2, offset: 3 }));
    expect(next).toEqual({ value: 4, id: items[4]?.id });
  });

  it('are all on one page for the maximum limit', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 100);
    expect(await succeeds(domain.listOrderItems(OWNER, id, { limit: 100 }))).toEqual({ data: items, next: null });
  });

  it('are listed for a cancelled order, and for an id in upper case', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderIn(domain, 'cancelled');
    expect((await succeeds(domain.listOrderItems(OWNER, id.toUpperCase()))).data).toEqual(items);
  });

  it.each([UNKNOWN_ID, 'PO-1', ''])('are not found by %j', async (id) => {
    expect(await fails(aDomain().listOrderItems(OWNER, id))).toEqual({ type: 'order_not_found', id });
  });

  it('are not found by another owner', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    expect(await fails(domain.listOrderItems(OTHER_OWNER, id))).toEqual({ type: 'order_not_found', id });
  });

  it('are an empty page after the last item', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 2);
    const after = { value: 1, id: items[1]?.id ?? '' };
    expect(await succeeds(domain.listOrderItems(OWNER, id, { after }))).toEqual({ data: [], next: null });
  });

  it('are rejected for a position of another order, after the check of the owner', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 2);
    const other = await anOrderOf(domain, 2);
    const [first = '', second = ''] = items.map((item) => item.id);
    const positions = [
      { value: 0, id: UNKNOWN_ID },
      { value: 0, id: second },
      { value: 2, id: first },
      { value: Number.MAX_SAFE_INTEGER, id: first },
      { value: 0, id: other.items[0]?.id ?? '' },
    ];
    for (const after of positions) {
      const error = await fails(domain.listOrderItems(OWNER, id, { after }));
      expect(error).toMatchObject({
        errors: [{ field: 'after', code: 'invalid_value', message: 'must be a position in this order' }],
      });
      expect(await fails(domain.listOrderItems(OTHER_OWNER, id, { after }))).toEqual({ type: 'order_not_found', id });
    }
  });

  it.each<[ItemQueryInput, string[]]>([
    [{ limit: 0 }, ['limit: out_of_range']],
    [{ limit: 101 }, ['limit: out_of_range']],
    [{ limit: 2.5 }, ['limit: wrong_type']],
    [{ offset: -1 }, ['offset: out_of_range']],
    [{ offset: 10_001 }, ['offset: out_of_range']],
    [{ after: { value: -1, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 0.5, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: Number.NaN, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 2 ** 53, id: UNKNOWN_ID } }, ['after: invalid_value']],
    [{ after: { value: 0, id: UNKNOWN_ID }, offset: 0 }, ['offset: invalid_value']],
    [{ limit: 0, offset: -1 }, ['limit: out_of_range', 'offset: out_of_range']],
  ])('are rejected for %o, before the order is looked up', async (input, fields) => {
    expect(await fails(aDomain().listOrderItems(OWNER, UNKNOWN_ID, input))).toMatchObject(invalidFields(...fields));
  });

  it.each<ItemQueryInput>([{ limit: 1 }, { limit: 100 }, { offset: 0 }, { offset: 10_000 }])(
    'are listed for %o',
    async (input) => {
      const domain = aDomain();
      const { id } = await aPlacedOrder(domain);
      const { next } = await succeeds(domain.listOrderItems(OWNER, id, input));
      expect(next).toBeNull();
    },
  );
});
