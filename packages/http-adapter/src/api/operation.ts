import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { OwnerPolicy } from '../observer.ts';
import type { Scope } from '../principal.ts';
import type { ErrorCode } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import type { BodyBudget } from '../request-state.ts';
import type { EXTERNAL_USER_ID_HEADER } from '../request/request-faults.ts';
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

/** The description of an operation, and what bounds its requests. */
interface Described {
  /** The operation id. Never changes, because generated clients name their functions after it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path after the version; `:id` is the id of a resource. */
  readonly path: string;
  /** The body, of which the schema or the budget determines the largest; `null` without one. */
  readonly body: RequestBody | null;
  /** The query parameters, by name. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The names of those that a request must have. Default: none. */
  readonly requires?: readonly string[];
  /** The supported headers that not every operation has. Default: none. */
  readonly supports?: readonly ('Idempotency-Key' | 'If-Match' | 'If-None-Match' | typeof EXTERNAL_USER_ID_HEADER)[];
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
}

/** What the requests for an operation cost their owner, and how many of them it works at. */
interface Cost {
  /** The rate limit that pays. Each request takes a unit of it on arrival, before its body is read. */
  readonly policy: OwnerPolicy;
  /** What a unit is. */
  readonly unit: 'request' | 'order' | 'bucket';
  /** How many requests of one owner it works at. Further ones get 429. */
  readonly underWayMax: number;
}

/** The cost of an operation whose requests are a unit each. */
export interface CostOfRequest extends Cost {
  readonly unit: 'request';
}

/** The cost of an operation whose requests are as many units as they want. */
export interface CostOfUnits extends Cost {
  readonly unit: Exclude<Cost['unit'], 'request'>;
  /** Bytes of a body that are a unit. Charged before the body is parsed, also if it is invalid. */
  readonly bytesPerUnit: number;
  /** Returns the problem of a request that exceeds the limit even alone, so that no retry helps. */
  readonly excess: (units: number, limit: number) => Problem;
}

/** As many requests as the share of an owner of the server admits. */
const SHARE_OF_SERVER = Number.POSITIVE_INFINITY;

/** The costs of most operations. */
export const READ: CostOfRequest = { policy: 'read', unit: 'request', underWayMax: SHARE_OF_SERVER };
export const WRITE: CostOfRequest = { ...READ, policy: 'write' };

/** What most reads have alike. */
export const GET = { method: 'GET', cost: READ, body: null } as const;

/** The units of a request, and its work, which begins when they are charged. */
export interface Measured {
  /** The number of units, that on arrival included. */
  readonly units: number;
  /** `chargeUpTo` charges what turns out to be more, before it is done. It takes the number of all units. */
  readonly work: (
    chargeUpTo: (units: number) => ResultAsync<undefined, Problem>,
  ) => ResultAsync<SuccessResponse, Problem>;
}

/** Does what a request wants. */
export type Handle = (request: FastifyRequest, reply: FastifyReply) => ResultAsync<SuccessResponse, Problem>;

/**
 * One operation of a listener: its description for the OpenAPI document, its cost, and its handler. One that does not state
 * its cost and its body does not compile.
 *
 * `measure` parses a request. Without valid input the work that it returns is the problem.
 */
export type Served = Described &
  (
    | { readonly cost: CostOfRequest; readonly handle: Handle }
    | { readonly cost: CostOfUnits; readonly measure: (request: FastifyRequest) => Measured }
  );

/** One operation of the API. */
export type Operation = Served & {
  /** The scope that credentials need. */
  readonly scope: Scope;
};
