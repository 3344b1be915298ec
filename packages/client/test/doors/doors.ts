import { createOrdersClient, type OrdersClient } from '@orders/client';
import { forOwner } from '@orders/client/embedded';
import { type FixedClock, fixedClock, type InMemoryStore, inMemoryStore } from '@orders/domain/testing';
import { aDomain } from '../../../http-adapter/test/fixtures/a-domain.ts';
import { aWebhooks } from '../../../http-adapter/test/fixtures/a-webhooks.ts';
import { aServer } from '../servers/a-server.ts';

/** One owner's orders behind a door, empty at first. */
export interface Opened {
  readonly orders: OrdersClient;
  readonly store: InMemoryStore;
  readonly clock: FixedClock;
}

/** The doors to the same behaviour: a domain in the same program, and a server over HTTP. */
export const DOORS: readonly (readonly [name: string, open: (externalUserId?: string) => Promise<Opened>])[] = [
  [
    'a domain in memory',
    (externalUserId) => {
      const clock = fixedClock();
      const store = inMemoryStore({ clock });
      const { feed, statistics } = store;
      const parts = {
        domain: aDomain(clock, store),
        feed,
        statistics,
        webhooks: aWebhooks(store, clock),
        externalUserId,
      };
      return Promise.resolve({ orders: forOwner(parts, 'acme'), store, clock });
    },
  ],
  [
    'a server over HTTP',
    async (externalUserId) => {
      const { baseUrl, apiKey, store, clock } = await aServer();
      return { orders: createOrdersClient({ baseUrl, credentials: { apiKey }, externalUserId }), store, clock };
    },
  ],
];

export const TEA = { sku: 'TEA-100', name: 'Tea', quantity: 2, unit_price: { amount: 450, currency: 'EUR' } } as const;

/** Returns an amount in the currency of {@link TEA}. */
export const euros = <const Amount extends number>(amount: Amount) => ({ amount, currency: 'EUR' }) as const;

/** An id that nothing has. */
export const NO_ID = '019b0000-ffff-7000-8000-000000000000';

/** Returns the error as every door has it: without what a server adds for people. */
export function bare(error: { readonly type: string }): object {
  const { detail: _detail, request_id: _id, ...rest } = error as { detail?: string; request_id?: string; type: string };
  return rest;
}

/** Returns the elements of a list or feed up to `most`. */
export async function take<T>(elements: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const taken: T[] = [];
  for await (const element of elements) {
    taken.push(element);
    if (taken.length === most) break;
  }
  return taken;
}

/** Left out of results: what only a server has or chooses, and what is random. */
const INCOMPARABLE = /^(actor|detail|idempotencyKey|next_cursor|request_id|secret)$/;

/** Returns what every door has of a result; `errorsOf` returns it of invalid fields. */
export function comparable(
  result: unknown,
  errorsOf = (errors: readonly { readonly field: string }[]): unknown => errors,
) {
  const copied: unknown = JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      if (INCOMPARABLE.test(key)) return undefined;
      return key === 'errors' && Array.isArray(value) ? errorsOf(value) : value;
    }),
  );
  return copied;
}
