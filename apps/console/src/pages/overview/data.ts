import { useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { read } from '../../api/queries.ts';
import type { EndpointsOfOwners, FiguresRow, Owners } from '../../api/types.ts';

/** How many owners are shown, and how often their load and figures are read while the page is visible, in milliseconds. */
const [OWNERS, POLL_MS, FIGURES_MS] = [10, 5000, 60_000];
const HOUR_MS = 3_600_000;
/** The hours that are shown. */
export const HOURS = 24;

/** Returns the starts of the shown hours, the oldest first. */
export function shownHours(now = Date.now()): readonly number[] {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: HOURS }, (_, index) => last - (HOURS - 1 - index) * HOUR_MS);
}

/** Returns what the overview shows: the busiest owners, endpoints, and figures of these owners. */
export function useOverview() {
  const query = { select: 'busiest', limit: OWNERS };
  const owners = useQuery({ ...read<Owners>('/admin/v1/owners', { query }), refetchInterval: POLL_MS });
  const endpoints = useQuery({
    ...read<EndpointsOfOwners>('/admin/v1/webhook_endpoints', { query: { limit: 100 } }),
    refetchInterval: POLL_MS,
  });
  const [first = 0] = shownHours();
  const figures = useQueries({
    queries: (owners.data?.data ?? []).map(({ owner }) => ({
      queryKey: ['figures', owner, first],
      refetchInterval: FIGURES_MS,
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const window = {
          interval: 'hour',
          from: new Date(first).toISOString(),
          before: new Date(first + HOURS * HOUR_MS).toISOString(),
        };
        return (await call<{ data: readonly FiguresRow[] }>('/v1/order_statistics', { owner, query: window, signal }))
          .body.data;
      },
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return { owners, endpoints, figures };
}

/** Returns the sums of figures by status and currency; a total that is too large for the API stays unknown. */
export function sums(rows: readonly FiguresRow[]): readonly Omit<FiguresRow, 'start'>[] {
  const groups = Map.groupBy(rows, ({ status, currency }) => `${status} ${currency}`);
  return [...groups.values()].map((group) =>
    group.reduce((sum, row) => ({
      ...sum,
      orders: sum.orders + row.orders,
      total: sum.total === null || row.total === null ? null : sum.total + row.total,
    })),
  );
}
