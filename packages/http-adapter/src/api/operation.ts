import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { Scope } from '../principal.ts';
import type { ErrorCode } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import type { BodyBudget } from '../request-state.ts';
import type { SuccessResponse } from '../response/send-response.ts';

/** The request body of an operation. */
interface RequestBody {
  /** Supported media types. The first is recommended. */
  readonly types: readonly string[];
  /** Schema for the OpenAPI document. Only the domain validates bodies. */
  readonly schema: TSchema;
  /** Whether the body is required. */
  readonly required: boolean;
  readonly examples: Readonly<Record<string, unknown>>;
  /** What it may have at most. Default: what its schema allows. */
  readonly budget?: BodyBudget;
}

/** One operation of the API: its description for the OpenAPI document, and its handler. */
export interface Operation {
  /** The operation id. Never changes, because generated clients name their functions after it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path after the version; `:id` is the id of a resource. */
  readonly path: string;
  /** The scope that credentials need. */
  readonly scope: Scope;
  /** Whether its requests have several orders, which are counted instead. Default: no. */
  readonly isBatch?: boolean;
  /** The query parameters, by name. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The names of those that a request must have. Default: none. */
  readonly requires?: readonly string[];
  /** The supported headers of conditional requests and idempotency. Default: none. */
  readonly supports?: readonly ('Idempotency-Key' | 'If-Match' | 'If-None-Match')[];
  readonly body?: RequestBody;
  /** The status of a success. Default: 200. */
  readonly status?: 200 | 201 | 202 | 204 | 207;
  /** The body of a success; absent if it has none. */
  readonly response?: {
    readonly schema: TSchema;
    /** Examples by name. Default: that of the schema. */
    readonly examples?: Readonly<Record<string, unknown>>;
  };
  /**
   * The problems that are specific to the operation. Those of all similar requests are added, and that of a resource in the
   * path that does not exist. Default: none.
   */
  readonly problems?: readonly ErrorCode[];
  /** Maximum time that the operation may wait in addition to its work, in milliseconds. Default: 0. */
  readonly waitMaxMs?: number;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => ResultAsync<SuccessResponse, Problem>;
}
