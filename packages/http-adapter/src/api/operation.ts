import type { FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { Scope } from '../principal.ts';
import type { ErrorCode } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import type { SuccessResponse } from '../response/send-response.ts';

/** A body that an operation reads. */
interface RequestBody {
  /** Its media types, the first being the one to recommend. */
  readonly types: readonly string[];
  /** Describes it; the domain alone judges it. */
  readonly schema: TSchema;
  /** Whether the operation needs one. */
  readonly required: boolean;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** One operation of the API: what it is, as its documentation and its clients know it, and how it is done. */
export interface Operation {
  /** Final; generated clients name their functions by it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the version; `:id` stands for a resource's id. */
  readonly path: string;
  /** What the credentials must be good for. */
  readonly scope: Scope;
  /** The parameters of its query, by name. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** What it understands of conditional requests and idempotency keys. */
  readonly honours: readonly ('Idempotency-Key' | 'If-Match' | 'If-None-Match')[];
  readonly body?: RequestBody;
  /** The status of a success. */
  readonly status: 200 | 201 | 204;
  /** The body of a success; absent where there is none. */
  readonly response?: {
    readonly schema: TSchema;
    /** By name. Operations with the same example give it the same name. */
    readonly examples: Readonly<Record<string, unknown>>;
  };
  /** What may go wrong beside that which may go wrong with every request of its shape. */
  readonly problems: readonly ErrorCode[];
  readonly handle: (request: FastifyRequest) => ResultAsync<SuccessResponse, Problem>;
}
