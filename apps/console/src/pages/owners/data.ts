import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Owners } from '../../api/types.ts';

/** Which owners are listed, as the API calls them. */
export const SELECTIONS = ['busiest', 'all', 'set'] as const;

/** Which owners the page lists: those that use most of the server, unless the URL says otherwise. */
export interface Selection {
  readonly select?: (typeof SELECTIONS)[number];
}

/** Returns the selection of a URL. */
export function readSelection({ select }: Readonly<Record<string, unknown>>): Selection {
  const found = SELECTIONS.find((each) => each === select);
  return found === undefined ? {} : { select: found };
}

/** How often the load is read while the page is visible, in milliseconds. */
const POLL_MS = 5000;

/** Returns owners with their load, and reads it again and again. */
export function useOwners({ select = 'busiest' }: Selection) {
  return useInfiniteQuery({
    queryKey: ['owners', select],
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam: after }) =>
      (await call<Owners>('/admin/v1/owners', { query: { select, limit: 50, after }, signal })).body,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
}
