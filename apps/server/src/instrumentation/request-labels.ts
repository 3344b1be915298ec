import type { FastifyRequest } from 'fastify';

/** The methods of the API; the last one is for preflight requests of browsers. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the method of a request, if it is one of the API. A client may send any word as one. */
export function methodOf({ method }: FastifyRequest): string | undefined {
  return METHODS.has(method) ? method : undefined;
}

/** Returns the path of the route of a request as it is declared, so without anything that the client sent. */
export function routeOf(request: FastifyRequest): string | undefined {
  return request.is404 ? undefined : request.routeOptions.url;
}
