import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '@orders/system-under-test';
import { z } from 'zod';
import { type Case, CASES, rawRequest } from '../cases/cases.ts';
import { WrongResponse } from '../wrong-response.ts';

/** The number of concurrent requests that place orders. */
const PLACE_CONNECTIONS = 16;

/** How often a request is sent again that the server was too busy for, and the time before it, in milliseconds. */
const RETRIES_MAX = 100;
const RETRY_MS = 100;

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
  keyAt: (place: number) => string = () => randomUUIDv7(),
): Promise<readonly string[]> {
  const ids = Array.from({ length: Math.ceil(count / apiKeys.length) * apiKeys.length }, () => '');
  const places = ids.keys();
  const place = async (): Promise<void> => {
    let connection = await openConnection(port);
    for (const at of places) {
      const request = rawRequest(placing, keyAt(at), apiKeys[at % apiKeys.length] ?? '');
      let { status, body } = await connection.exchange(request);
      // On a busy machine, a server that has just started rejects requests, and may close their connection.
      for (let retries = 0; status === 503 && retries < RETRIES_MAX; retries += 1) {
        connection.close();
        await sleep(RETRY_MS);
        connection = await openConnection(port);
        ({ status, body } = await connection.exchange(request));
      }
      if (status !== 201) throw new WrongResponse(`an order to begin with got ${status}: ${body}`);
      ids[at] = Placed.parse(JSON.parse(body)).id;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: PLACE_CONNECTIONS }, place));
  return ids;
}
