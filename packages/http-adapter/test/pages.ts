import type { ApiResponse, Client } from './a-client.ts';
import { type Api, anApi, type Wanted } from './an-api.ts';
import { listAt, textAt } from './json.ts';

/** An API in which acme has placed `count` orders, a second apart, with references `A-1`, `A-2` and so on. */
export async function anApiWithOrders(count: number, wanted: Wanted = {}): Promise<Api> {
  const api = await anApi(wanted);
  for (let number = 1; number <= count; number += 1) {
    await api.acme.place({ reference: `A-${number}` });
    api.clock.advance(1000);
  }
  return api;
}

/** The references of a page of orders. */
export function references({ body }: ApiResponse): readonly string[] {
  return listAt(body, 'data').map((order) => textAt(order, 'reference'));
}

/** Where a page's `Link` leads, as the client sees it; `undefined` on the last page. */
export function nextUrl({ headers }: ApiResponse): string | undefined {
  return /^<([^>]*)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
}

/** Every page from `url` on, reached by following links. */
export async function walk(client: Client, url: string): Promise<readonly ApiResponse[]> {
  const page = await client.get(url);
  const next = nextUrl(page);
  return next === undefined ? [page] : [page, ...(await walk(client, next))];
}
