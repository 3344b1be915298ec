import type { FastifyInstance } from 'fastify';

/** What every path of the API begins with, to be followed by a slash: Fastify takes `/shop/` for `/shop`. */
export function prefixOf({ prefix }: FastifyInstance): string {
  return prefix.replace(/\/$/, '');
}
