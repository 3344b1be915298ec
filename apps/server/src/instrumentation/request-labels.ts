import type { FastifyRequest } from 'fastify';

/** The methods that the API answers; the last one to browsers that ask whether they may. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method of a request, if it is one that the API knows. A client may send any word as one. */
export function methodOf({ method }: FastifyRequest): string | undefined {
  return METHODS.has(method) ? method : undefined;
}

/** The path of the route that answers a request, as it is declared, so without what the client sent. */
export function routeOf(request: FastifyRequest): string | undefined {
  return request.is404 ? undefined : request.routeOptions.url;
}
