import { z } from 'zod';
import { WrongResponse } from '../cases/wrong-response.ts';

const Page = z.object({
  data: z.array(z.object({ id: z.string(), created_at: z.string() })),
  page: z.object({ next_cursor: z.string().nullable() }),
});

/** A position in a list. */
export interface Place {
  /** The number of orders before it. */
  readonly depth: number;
  readonly cursor: string;
  /** The order before it. */
  readonly after: { readonly value: string; readonly id: string };
}

const LIMIT = 100;

/**
 * Walks the whole list by its cursors, and returns the positions at the given depths.
 *
 * @throws {WrongResponse} the walk does not return `count` distinct orders
 */
export async function walk(
  port: number,
  apiKey: string,
  count: number,
  depths: readonly number[],
  onProgress: (depth: number) => void,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const query = cursor === null ? '' : `&after=${cursor}`;
    const url = `http://127.0.0.1:${port}/v1/orders?limit=${LIMIT}${query}`;
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const { data, page } = Page.parse(await response.json());
    for (const { id } of data) seen.add(id);
    cursor = page.next_cursor;
    const last = data.at(-1);
    if (cursor !== null && last && depths.includes(seen.size)) {
      places.push({ depth: seen.size, cursor, after: { value: last.created_at, id: last.id } });
    }
    if (seen.size % 50_000 === 0) onProgress(seen.size);
  } while (cursor !== null);
  if (seen.size !== count) throw new WrongResponse(`a walk returned ${seen.size} of ${count} orders`);
  return places;
}
