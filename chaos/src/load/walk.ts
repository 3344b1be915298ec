import type { Answer, Request } from './exchange.ts';
import { isRecord, isResource, type Resource } from './resource.ts';

/** What a walk through a list showed, in order, and whether it came to the end. */
export interface Walked {
  readonly orders: readonly Resource[];
  readonly complete: boolean;
}

/** Walks through the orders by cursor, page by page, at most `pages` of them. */
export async function walk(
  send: (request: Request) => Promise<Answer>,
  sort: string,
  limit: number,
  pages = Infinity,
): Promise<Walked | { readonly answer: Answer }> {
  const orders: Resource[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const cursor: string = after === null ? '' : `&after=${after}`;
    const answer: Answer = await send({ method: 'GET', path: `/v1/orders?sort=${sort}&limit=${limit}${cursor}` });
    const read = readPage(answer.body);
    if (answer.status !== 200 || !read) return { answer };
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
