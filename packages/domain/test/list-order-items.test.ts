import type { ItemQueryInput, Position } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  badFields,
  type DomainUnderTest,
  NOBODY,
  OWNER,
  refuses,
  STRANGER,
  succeeds,
} from './a-domain.ts';

/** An order whose lines are called 0, 1, 2, and last first in the alphabet. */
function anOrderOf(domain: DomainUnderTest, lines: number) {
  const items = Array.from({ length: lines }, (_, line) => aLine({ sku: `${line}`, name: `${lines - line}` }));
  return aPlacedOrder(domain, { items });
}

const skus = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`);

/** The lines of every page, following the first to the end. */
async function walk(domain: DomainUnderTest, id: string, input: ItemQueryInput): Promise<string[][]> {
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
  it('come in line order, twenty to a page unless asked otherwise', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 45);
    expect(await walk(domain, id, {})).toEqual([skus(0, 20), skus(20, 40), skus(40, 45)]);
    const { data } = await succeeds(domain.listOrderItems(OWNER, id));
    expect(data).toEqual(items.slice(0, 20));
  });

  it.each([1, 2, 3, 6, 7, 8, 100])('by cursor, %d to a page, are shown each once', async (limit) => {
    const domain = aDomain();
    const { id } = await anOrderOf(domain, 7);
    const pages = await walk(domain, id, { limit });
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
  ])('by offset begin behind the first %d', async (offset, expected, more) => {
    const domain = aDomain();
    const { id } = await anOrderOf(domain, 7);
    const { data, next } = await succeeds(domain.listOrderItems(OWNER, id, { limit: 3, offset }));
    expect(data.map(({ sku }) => sku)).toEqual(expected);
    expect(next !== null).toBe(more);
  });

  it('go on by cursor from where an offset page ended', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 7);
    expect(await walk(domain, id, { limit: 2, offset: 3 })).toEqual([skus(3, 5), skus(5, 7)]);
    const { next } = await succeeds(domain.listOrderItems(OWNER, id, { limit: 2, offset: 3 }));
    expect(next).toEqual({ value: 4, id: items[4]?.id });
  });

  it('are those of a full order at a hundred to a page', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 100);
    expect(await succeeds(domain.listOrderItems(OWNER, id, { limit: 100 }))).toEqual({ data: items, next: null });
  });

  it('are shown whatever became of the order, and by its id in any case', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderIn(domain, 'cancelled');
    expect((await succeeds(domain.listOrderItems(OWNER, id.toUpperCase()))).data).toEqual(items);
  });

  it.each([NOBODY, 'PO-1', ''])('are not found by %j', async (id) => {
    expect(await refuses(aDomain().listOrderItems(OWNER, id))).toEqual({ type: 'order_not_found', id });
  });

  it('are not found by another owner', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    expect(await refuses(domain.listOrderItems(STRANGER, id))).toEqual({ type: 'order_not_found', id });
  });

  it('behind the last are none', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 2);
    const after = { value: 1, id: items[1]?.id ?? '' };
    expect(await succeeds(domain.listOrderItems(OWNER, id, { after }))).toEqual({ data: [], next: null });
  });

  it('are refused behind what is no position of this order, once it is known to be the owner’s', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderOf(domain, 2);
    const other = await anOrderOf(domain, 2);
    const [first = '', second = ''] = items.map((item) => item.id);
    const positions = [
      { value: 0, id: NOBODY },
      { value: 0, id: second },
      { value: 2, id: first },
      { value: Number.MAX_SAFE_INTEGER, id: first },
      { value: 0, id: other.items[0]?.id ?? '' },
    ];
    for (const after of positions) {
      const refused = await refuses(domain.listOrderItems(OWNER, id, { after }));
      expect(refused).toMatchObject({
        errors: [{ field: 'after', code: 'invalid_value', message: 'must be a position in this order' }],
      });
      expect(await refuses(domain.listOrderItems(STRANGER, id, { after }))).toEqual({ type: 'order_not_found', id });
    }
  });

  it.each<[ItemQueryInput, string[]]>([
    [{ limit: 0 }, ['limit: out_of_range']],
    [{ limit: 101 }, ['limit: out_of_range']],
    [{ limit: 2.5 }, ['limit: wrong_type']],
    [{ offset: -1 }, ['offset: out_of_range']],
    [{ offset: 10_001 }, ['offset: out_of_range']],
    [{ after: { value: -1, id: NOBODY } }, ['after: invalid_value']],
    [{ after: { value: 0.5, id: NOBODY } }, ['after: invalid_value']],
    [{ after: { value: Number.NaN, id: NOBODY } }, ['after: invalid_value']],
    [{ after: { value: 2 ** 53, id: NOBODY } }, ['after: invalid_value']],
    [{ after: { value: 0, id: NOBODY }, offset: 0 }, ['offset: invalid_value']],
    [{ limit: 0, offset: -1 }, ['limit: out_of_range', 'offset: out_of_range']],
  ])('are refused for %o, before the order is looked for', async (input, fields) => {
    expect(await refuses(aDomain().listOrderItems(OWNER, NOBODY, input))).toMatchObject(badFields(...fields));
  });

  it.each<ItemQueryInput>([{ limit: 1 }, { limit: 100 }, { offset: 0 }, { offset: 10_000 }])(
    'may be asked for by %o',
    async (input) => {
      const domain = aDomain();
      const { id } = await aPlacedOrder(domain);
      const { next } = await succeeds(domain.listOrderItems(OWNER, id, input));
      expect(next).toBeNull();
    },
  );
});
