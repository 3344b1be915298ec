import { randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';
import type { Case } from '../cases/case.ts';
import { CASES } from '../cases/cases.ts';
import { WrongResponse } from '../cases/wrong-response.ts';
import { openConnection, rawRequest } from './connection.ts';

/** The number of concurrent requests that place orders. */
const PLACE_CONNECTIONS = 16;

const Placed = z.object({ id: z.string() });

/**
 * Places orders through a server, in turns with each of the API keys. Returns at least `count` ids, a multiple of the
 * number of keys: the order at a place belongs to the key at that place, modulo the number of keys.
 */
export async function placeOrders(
  port: number,
  apiKeys: readonly string[],
  count: number,
  placing: Case = CASES.create,
): Promise<readonly string[]> {
  const ids = Array.from({ length: Math.ceil(count / apiKeys.length) * apiKeys.length }, () => '');
  const places = ids.keys();
  const place = async (): Promise<void> => {
    const connection = await openConnection(port);
    for (const at of places) {
      const request = rawRequest(placing, randomUUIDv7(), port, apiKeys[at % apiKeys.length] ?? '');
      const { status, body } = await connection.exchange(request);
      if (status !== 201) throw new WrongResponse(`an order to begin with got ${status}: ${body}`);
      ids[at] = Placed.parse(JSON.parse(body)).id;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: PLACE_CONNECTIONS }, place));
  return ids;
}
