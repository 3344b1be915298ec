import { isDeepStrictEqual } from 'node:util';
import type { Client } from './client.ts';
import type { Resource } from './resource.ts';
import { walk } from './walk.ts';

const [LIMIT, PAGES] = [50, 3];

/** Lists the newest orders. Each own order must be listed as acknowledged, and no deleted one. */
export async function listNewest(client: Client): Promise<void> {
  const walked = await walk((request) => client.send(request), '-created_at', LIMIT, PAGES);
  if ('response' in walked) {
    return client.ledger.contradicts(`${walked.response.status} to a list: ${walked.response.text.slice(0, 500)}`);
  }
  const { orders, complete } = walked;
  const found = new Map(orders.map((order) => [order.id, order]));
  if (found.size < orders.length) client.ledger.contradicts('a walk shows an order twice');
  const last = orders.at(-1);
  for (const order of client.orders.values()) {
    const shown = found.get(order.id);
    if (shown && !isDeepStrictEqual(shown, order)) {
      client.ledger.contradicts(`a list shows ${JSON.stringify(shown)} in place of ${JSON.stringify(order)}`);
    }
    if (!shown && (complete || (last && isNewer(order, last)))) client.ledger.contradicts(`a walk skips ${order.id}`);
  }
  const back = client.gone.find((id) => found.has(id));
  if (back !== undefined) client.ledger.contradicts(`a list shows ${back}, which was deleted`);
}

function isNewer(left: Resource, right: Resource): boolean {
  return left.created_at === right.created_at ? left.id > right.id : left.created_at > right.created_at;
}
