import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../awaitable.ts';

/** Something that is served without credentials and without a version, to people above all. */
export interface Page {
  /** Below the plugin's prefix; `:name` stands for a segment. */
  readonly path: string;
  /** Default false. */
  readonly isHealthCheck?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Awaitable<FastifyReply>;
}
