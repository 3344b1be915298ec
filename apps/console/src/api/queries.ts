import { MutationCache, QueryCache, QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import { isPassing } from './problem.ts';
import { sessionToken } from './session.ts';
import type { Definition, Session } from './types.ts';

/** A query of one resource by GET. */
export function read<T>(path: string, request: Parameters<typeof call>[1] = {}) {
  return queryOptions({
    queryKey: [path, request.owner ?? null, request.query ?? null],
    queryFn: async ({ signal }) => (await call<T>(path, { ...request, signal })).body,
  });
}

const SESSION = { ...read<Session>('/admin/v1/session'), staleTime: 60_000 };

/** How often what failed is read again until the server is back, in milliseconds. */
const AGAIN_MS = 3000;

/** Returns the client of all queries. What failed for a passing reason is read again, and so is whether the server is there. */
export function newQueryClient(): QueryClient {
  // Whatever failed says that the server may be down; the session says whether it is.
  const onError = (error: Error, { queryKey }: { readonly queryKey?: readonly unknown[] }) => {
    if (isPassing(error) && queryKey?.[0] !== SESSION.queryKey[0]) void client.invalidateQueries(SESSION);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError: (error) => onError(error, {}) }),
    defaultOptions: {
      queries: {
        // Of a server that starts.
        retry: (failures, error) => isPassing(error) && failures < 1,
        refetchInterval: ({ state }) => (isPassing(state.error) ? AGAIN_MS : false),
        staleTime: 2000,
        // A server on this machine needs no network.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** Returns who is signed in, and whether the role may use an operation, or one of its kinds as `create_job:cancel`. */
export function useOperator() {
  const { data, error } = useQuery({ ...SESSION, enabled: sessionToken() !== null });
  return {
    session: data,
    /** Whether the server or its database does not respond: what was read is shown, and nothing can be changed. */
    isDown: isPassing(error),
    may: (operation: string) => data?.operations.includes(operation) ?? false,
  };
}

/** Returns the definition of the orders, once it is read. */
export function useDefinition(): Definition | undefined {
  return useQuery({ ...read<Definition>('/admin/v1/definition'), staleTime: Number.POSITIVE_INFINITY }).data;
}
