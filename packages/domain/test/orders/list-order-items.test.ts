import type { ItemQueryInput, Position } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aLine,
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
  it('are listed in line order, each once, in pages of any size', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 45);
    expect(await readAllPages(domain, id.toUpperCase(), {})).toEqual([skus(0, 20), skus(20, 40), skus(40, 45)]);
    expect((await succeeds(domain.listOrderItems(OWNER, id))).data).toEqual(items.slice(0, 20));
    for (const limit of [1, 2, 44, 45, 46, 100]) {
      const pages = await readAllPages(domain, id, { limit });
      expect(pages.flat()).toEqual(skus(0, 45));
      expect(pages).toHaveLength(Math.ceil(45 / limit));
    }
  });

  it.each<[number, string[], boolean]>([
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

  it('are continued by position after a page with an offset, until an empty page after the last item', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 7);
    expect(await readAllPages(domain, id, { limit: 2, offset: 3 })).toEqual([skus(3, 5), skus(5, 7)]);
    const { next } = await succeeds(domain.listOrderItems(OWNER, id, { limit: 2, offset: 3 }));
    expect(next).toEqual({ value: 4, id: items[4]?.id });
    const last = { value: 6, id: items[6]?.id ?? '' };
    expect(await succeeds(domain.listOrderItems(OWNER, id, { after: last }))).toEqual({ data: [], next: null });
  });

  it('are rejected for a position of another order, after the check of the owner', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 2);
    const other = await anOrderOf(domain, 2);
    const [first = '', second = ''] = items.map((item) => item.id);
    const rejected = invalidFields('after: invalid_value (must be a position in this list)');
    for (const after of [
      { value: 0, id: UNKNOWN_ID },
      { value: 0, id: second },
      { value: 2, id: first },
      { value: Number.MAX_SAFE_INTEGER, id: first },
      { value: 0, id: other.items[0]?.id ?? '' },
    ]) {
      expect(await fails(domain.listOrderItems(OWNER, id, { after }))).toMatchObject(rejected);
      expect(await fails(domain.listOrderItems(OTHER_OWNER, id, { after }))).toEqual({ type: 'order_not_found', id });
    }
  });

  it('are rejected for an invalid query before the order is looked up', async () => {
    const error = await fails(aDomain().listOrderItems(OWNER, UNKNOWN_ID, { limit: 0 }));
    expect(error).toMatchObject(invalidFields('limit: out_of_range'));
  });
});
