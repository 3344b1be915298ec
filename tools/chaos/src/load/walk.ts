import type { HttpResponse, Request } from './exchange.ts';
import { isRecord, isResource, type Resource } from './resource.ts';

/** The resources of a list, in order, and whether its end was reached. */
export interface Walked {
  readonly orders: readonly Resource[];
  readonly complete: boolean;
}

/** Reads the orders by cursor, at most `pages` pages. */
export async function walk(
  send: (request: Request) => Promise<HttpResponse>,
  sort: string,
  limit: number,
  pages = Infinity,
): Promise<Walked | { readonly response: HttpResponse }> {
  const orders: Resource[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const cursor: string = after === null ? '' : `&after=${after}`;
    const response: HttpResponse = await send({
      method: 'GET',
      path: `/v1/orders?sort=${sort}&limit=${limit}${cursor}`,
    });
    const read = readPage(response.body);
    if (response.status !== 200 || !read) return { response };
    orders.push(...read.orders);
    after = read.next;
    if (after === null) return { orders, complete: true };
  }
  return { orders, complete: false };
}

function readPage(body: unknown): { readonly orders: readonly Resource[]; readonly next: string | null } | undefined {
  if (!isRecord(body) || !Array.isArray(body['data']) || !isRecord(body['page'])) return undefined;
  const { next_cursor: next } = body['page'];
  const data: readonly unknown[] = body['data'];
  if (next !== null && typeof next !== 'string') return undefined;
  return { orders: data.filter(isResource), next };
}
