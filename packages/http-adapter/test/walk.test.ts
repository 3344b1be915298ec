import { describe, expect, it } from 'vitest';
import type { Client } from './a-client.ts';
import { anApi } from './an-api.ts';
import { textAt } from './json.ts';
import { aNewItem } from './new-orders.ts';
import { FILTERS, SORTS, type WalkingClient, walkWhileOthersWrite } from './walking.ts';

/** Creates a client of which about every third order is created in the next millisecond. */
function walkingClient(acme: Client, advance: (ms: number) => void): WalkingClient {
  let created = 0;
  return {
    get: async (url) => (await acme.get(url)).body,
    create: async (url, body) => {
      created += 1;
      if (created % 4 === 0) advance(1);
      return textAt((await acme.post(url, body)).body, 'id');
    },
    remove: async (url) => {
      expect((await acme.delete(url)).status).toBe(204);
    },
  };
}

describe.each(FILTERS)('walking by cursor while others place and delete orders, %s', (_, filter) => {
  it.each(SORTS)('returns every order that is not deleted exactly once, sorted by %s', async (sort) => {
    const { acme, clock } = await anApi();
    const { seen, stayed, pages } = await walkWhileOthersWrite(
      walkingClient(acme, (ms) => clock.advance(ms)),
      [aNewItem()],
      sort,
      filter,
    );
    expect(stayed.map((id) => seen.filter((other) => other === id).length)).toEqual(stayed.map(() => 1));
    expect(new Set(seen).size).toBe(seen.length);
    expect(pages).toBeGreaterThan(5);
  });
});

describe('walking by cursor', () => {
  it('returns orders that share a millisecond', async () => {
    const { acme } = await anApi();
    const still = walkingClient(acme, () => undefined);
    for (const sort of SORTS) {
      const { seen, stayed } = await walkWhileOthersWrite(still, [aNewItem()], sort, (id) => `&customer_id=${id}`);
      expect(stayed.map((id) => seen.filter((other) => other === id).length)).toEqual(stayed.map(() => 1));
    }
  });
});
