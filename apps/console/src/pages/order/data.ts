import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { knownOwner } from '../../api/known-owners.ts';
import { listOrders } from '../../api/orders.ts';
import { Problem } from '../../api/problem.ts';
import type { Order, OrderVersion, Timeline } from '../../api/types.ts';
import { O } from './texts.ts';

/** Returns the version that the page shows in place of the newest. */
export function readAsOf({ as_of }: Readonly<Record<string, unknown>>): { readonly as_of?: number } {
  return typeof as_of === 'number' && Number.isInteger(as_of) && as_of > 0 ? { as_of } : {};
}

/** Returns the owner of an order: the URL does not say whose it is. */
function useOwner(id: string) {
  return useQuery({
    queryKey: ['owner of', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const known = knownOwner(id);
      if (known !== undefined) return known;
      const [found] = (await listOrders({ query: { ids: id }, signal }, { all: true })).data;
      if (!found) throw new Problem({ status: 404, code: 'order_not_found', title: O.notFound });
      return found.owner;
    },
  });
}

/** The order with its entity tag, what happened to it, and the version that `asOf` names. */
export function useOrderPage(id: string, asOf: number | undefined) {
  const owner = useOwner(id);
  const path = `/v1/orders/${id}`;
  const request = { owner: owner.data };
  const enabled = owner.data !== undefined;
  const order = useQuery({
    queryKey: ['order', id],
    enabled,
    queryFn: ({ signal }) => call<Order>(path, { ...request, signal }),
    retryOnMount: false,
  });
  const timeline = useInfiniteQuery({
    queryKey: ['timeline', id],
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: after }) =>
      (await call<Timeline>(`/admin${path}/timeline`, { ...request, signal, query: { limit: 100, after } })).body,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
  const version = useQuery({
    queryKey: ['version', id, asOf],
    enabled: enabled && asOf !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => (await call<OrderVersion>(`${path}/versions/${asOf}`, { ...request, signal })).body,
  });
  return { owner, order, timeline, version };
}
