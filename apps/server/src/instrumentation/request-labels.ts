import type { FastifyRequest } from 'fastify';

/** The methods of the API; the last one is for preflight requests of browsers. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the method of a request, if the API uses it. A client may send any word as its method. */
export function methodOf({ method }: FastifyRequest): string | undefined {
  return METHODS.has(method) ? method : undefined;
}

/** Returns the declared path of the route of a request, without patterns. It contains nothing from the client. */
export function routeOf(request: FastifyRequest): string | undefined {
  return request.is404 ? undefined : request.routeOptions.url?.replaceAll(/\([^()]*\)/g, '');
}
