import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { keepOwners } from '../../api/known-owners.ts';
import { shellWord } from '../../parts/copy.tsx';
import type { DeliveriesOfOwners, EndpointsOfOwners } from '../../api/types.ts';

/** What the list of deliveries is filtered by, as it stands in the URL. */
export interface DeliveryFilter {
  readonly endpoint?: string | undefined;
  readonly status?: string | undefined;
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

/** How deliveries are listed: those that failed for good, wait, or were accepted. */
export const STATUSES = ['failed', 'pending', 'delivered'] as const;
export type DeliveryStatus = (typeof STATUSES)[number];

const NAMES = ['endpoint', 'status', 'from', 'before'] as const;

/** Returns the filter of a URL. */
export function readDeliveryFilter(search: Readonly<Record<string, unknown>>): DeliveryFilter {
  const texts = NAMES.flatMap((name): readonly (readonly [string, string])[] => {
    const value = search[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const filter: Readonly<Record<string, string>> = Object.fromEntries(texts);
  return filter;
}

/** A window without one of its ends, which a job on accepted deliveries needs. */
const LONG_AGO = '2000-01-01T00:00:00Z';

/** Returns the filter of a job that sends what the list shows again. */
export function jobFilterOf({ endpoint, status, from, before }: DeliveryFilter) {
  const isAccepted = status === 'delivered';
  return {
    endpoint_id: endpoint,
    status,
    from: from ?? (isAccepted ? LONG_AGO : undefined),
    before: before ?? (isAccepted ? new Date().toISOString() : undefined),
  };
}

/** Returns the command that lists the same. */
export function commandOf(filter: DeliveryFilter): string {
  const options = NAMES.flatMap((name) => (filter[name] === undefined ? [] : [`--${name} ${shellWord(filter[name])}`]));
  return ['orders deliveries', ...options].join(' ');
}

/** How often the health of endpoints is read while the page is visible, in milliseconds. */
const POLL_MS = 5000;

/** Returns the endpoints of all owners with their health. */
export function useEndpoints() {
  return useInfiniteQuery({
    queryKey: ['endpoints'],
    refetchInterval: POLL_MS,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: after }) =>
      (await call<EndpointsOfOwners>('/admin/v1/webhook_endpoints', { query: { limit: 100, after }, signal })).body,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
}

/** Returns the deliveries of a filter: those that failed, unless it says otherwise. */
export function useDeliveries({ endpoint, status = 'failed', from, before }: DeliveryFilter) {
  return useInfiniteQuery({
    queryKey: ['deliveries', endpoint, status, from, before],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: after }) => {
      const query = {
        limit: 50,
        after,
        endpoint_id: endpoint,
        status,
        occurred_at_from: from,
        occurred_at_before: before,
      };
      const { body } = await call<DeliveriesOfOwners>('/admin/v1/deliveries', { query, signal });
      keepOwners(body.data.map((each) => ({ id: each.aggregate_id, owner: each.owner })));
      return body;
    },
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
}
