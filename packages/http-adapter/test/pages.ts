import type { ApiResponse, Client } from './a-client.ts';
import { type Api, anApi, type Wanted } from './an-api.ts';
import { listAt, textAt } from './json.ts';

/** Creates an API in which acme has placed `count` orders, one per second, with the references `A-1`, `A-2` and so on. */
export async function anApiWithOrders(count: number, wanted: Wanted = {}): Promise<Api> {
  const api = await anApi(wanted);
  for (let number = 1; number <= count; number += 1) {
    await api.acme.place({ reference: `A-${number}` });
    api.clock.advance(1000);
  }
  return api;
}

/** Returns the references of a page of orders. */
export function references({ body }: ApiResponse): readonly string[] {
  return listAt(body, 'data').map((order) => textAt(order, 'reference'));
}

/** Returns the URL in the `Link` of a page; `undefined` on the last page. */
export function nextUrl({ headers }: ApiResponse): string | undefined {
  return /^<([^>]*)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
}

/** Returns every page from `url` on, by following links. */
export async function walk(client: Client, url: string): Promise<readonly ApiResponse[]> {
  const page = await client.get(url);
  const next = nextUrl(page);
  return next === undefined ? [page] : [page, ...(await walk(client, next))];
}
