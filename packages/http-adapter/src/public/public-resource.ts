import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../value-or-promise.ts';

/** A resource that is served without credentials and without a version. */
export interface PublicResource {
  /** Path after the prefix of the plugin; `:name` matches a segment. */
  readonly path: string;
  /** Default: false. */
  readonly isHealthCheck?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Awaitable<FastifyReply>;
}
