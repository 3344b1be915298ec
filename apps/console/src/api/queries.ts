import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Definition, Session } from './types.ts';

/** A query of one resource by GET. */
export function read<T>(path: string, request: Parameters<typeof call>[1] = {}) {
  return queryOptions({
    queryKey: [path, request.owner ?? null, request.query ?? null],
    queryFn: async ({ signal }) => (await call<T>(path, { ...request, signal })).body,
  });
}

/** Returns who is signed in, and whether the role may use an operation, or one of its kinds as `create_job:cancel`. */
export function useOperator() {
  const { data } = useQuery({ ...read<Session>('/admin/v1/session'), staleTime: 60_000 });
  return { session: data, may: (operation: string) => data?.operations.includes(operation) ?? false };
}

/** Returns the definition of the orders, once it is read. */
export function useDefinition(): Definition | undefined {
  return useQuery({ ...read<Definition>('/admin/v1/definition'), staleTime: Number.POSITIVE_INFINITY }).data;
}
