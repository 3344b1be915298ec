import type { Domain } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { Scope } from './conventions/authentication.ts';
import type { Problem } from './conventions/problem-details.ts';
import type { Answer } from './conventions/send-result.ts';
import { orderRoutes } from './orders/order-routes.ts';

/** One operation of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`; `:id` stands for a resource's id. */
  readonly path: string;
  /** What the credentials must be good for. */
  readonly scope: Scope;
  /** Media types of the body; absent where none is read. */
  readonly accepts?: readonly string[];
  /** The body of a success; absent where there is none. */
  readonly answers?: TSchema;
  readonly handle: (request: FastifyRequest) => ResultAsync<Answer, Problem>;
}

/** The API. */
export function routes(domain: Domain): readonly Route[] {
  return orderRoutes(domain);
}
