import { z } from 'zod';
import { WrongResponse } from '../wrong-response.ts';

const Page = z.object({
  data: z.array(z.object({ id: z.string() })),
  page: z.object({ next_cursor: z.string().nullable() }),
});

const LIMIT = 100;

/**
 * Walks the whole list by its cursors, and returns those at the given depths.
 *
 * @throws {WrongResponse} the walk does not return `count` distinct orders
 */
export async function walk(
  port: number,
  apiKey: string,
  count: number,
  depths: readonly number[],
): Promise<readonly { readonly depth: number; readonly cursor: string }[]> {
  const places: { depth: number; cursor: string }[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const query = cursor === null ? '' : `&after=${cursor}`;
    const url = `http://127.0.0.1:${port}/v1/orders?limit=${LIMIT}${query}`;
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const { data, page } = Page.parse(await response.json());
    for (const { id } of data) seen.add(id);
    cursor = page.next_cursor;
    if (cursor !== null && depths.includes(seen.size)) places.push({ depth: seen.size, cursor });
  } while (cursor !== null);
  if (seen.size !== count) throw new WrongResponse(`a walk returned ${seen.size} of ${count} orders`);
  return places;
}
