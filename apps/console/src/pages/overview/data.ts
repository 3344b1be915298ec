import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../../api/queries.ts';
import type { EndpointsOfOwners, FiguresRow, Owners } from '../../api/types.ts';

/** How many owners are shown, and how often their load and figures are read while the page is visible, in milliseconds. */
const [OWNERS, POLL_MS, FIGURES_MS] = [10, 5000, 60_000];
const HOUR_MS = 3_600_000;
/** How many hours, and how many days, are shown. */
const SHOWN = { hour: 24, day: 14 } as const;

/** How long the times are that orders are counted in. */
export type Interval = keyof typeof SHOWN;

/** Returns the interval of a URL: hours, unless it says days. */
export function readInterval({ by }: Readonly<Record<string, unknown>>): { readonly by?: 'day' } {
  return by === 'day' ? { by } : {};
}

/** Returns the starts of the shown hours, or of the days in the zone of the operator, the oldest first, and the end of the last. */
export function shownTimes(by: Interval, now = Date.now()): readonly number[] {
  const last = by === 'hour' ? Math.floor(now / HOUR_MS) * HOUR_MS : new Date(now).setHours(0, 0, 0, 0);
  return Array.from({ length: SHOWN[by] + 1 }, (_, index) => {
    const later = index + 1 - SHOWN[by];
    if (by === 'hour') return last + later * HOUR_MS;
    const midnight = new Date(last);
    return midnight.setDate(midnight.getDate() + later);
  });
}

/** Returns what the overview shows: the busiest owners, endpoints, and figures of those that were the busiest first. */
export function useOverview(by: Interval) {
  const query = { select: 'busiest', limit: OWNERS };
  const owners = useQuery({ ...read<Owners>('/admin/v1/owners', { query }), refetchInterval: POLL_MS });
  const endpoints = useQuery({
    ...read<EndpointsOfOwners>('/admin/v1/webhook_endpoints', { query: { limit: 100 } }),
    refetchInterval: POLL_MS,
  });
  // Those who are the busiest change all the time; figures of the same owners can be compared.
  const [counted, count] = useState<readonly string[]>([]);
  if (counted.length === 0 && owners.data && owners.data.data.length > 0)
    count(owners.data.data.map(({ owner }) => owner));
  const times = shownTimes(by);
  const window = {
    interval: by,
    from: new Date(times[0] ?? 0).toISOString(),
    before: new Date(times.at(-1) ?? 0).toISOString(),
    time_zone: by === 'day' ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined,
  };
  const figures = useQueries({
    queries: counted.map((owner) => ({
      ...read<{ readonly data: readonly FiguresRow[] }>('/v1/order_statistics', { owner, query: window }),
      refetchInterval: FIGURES_MS,
    })),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  });
  return { owners, endpoints, counted, figures };
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
