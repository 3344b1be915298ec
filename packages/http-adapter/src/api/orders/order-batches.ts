import {
  type OrderBatch,
  type OrderDefinition,
  type OrderWritten,
  parseOrderBatch,
  partsOf,
  type UntypedDomain,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { ok, type Result, ResultAsync } from 'neverthrow';
import type { DomainError } from '../../problems/entry.ts';
import { statusOf } from '../../problems/catalog.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { type BaseUrl, logCause, type Problem, problemBody } from '../../problems/problem.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { authorOf, readAction } from '../../request/request-parameters.ts';
import { EXTERNAL_USER_ID_HEADER } from '../../request/request-faults.ts';
import { ownerOf } from '../../request-state.ts';
import { uncached } from '../../response/responses.ts';
import { charged, type LoopTime, type SuccessResponse } from '../../response/send-response.ts';
import { bodyBudget } from '../body-budget.ts';
import { requireScopes, type ScopeChallenge } from '../event-scopes.ts';
import type { Measured, Operation } from '../operation.ts';
import { orderBodies } from './order-bodies.ts';
import { BATCH_BODY_BYTES, orderBatchSchemas } from './order-batch-schemas.ts';

/** What batches need besides the use cases. */
export interface BatchParts {
  readonly scopeChallenge: ScopeChallenge;
  readonly baseUrl: BaseUrl;
  /** The account of the time of the event loop, which parts of a batch take in turns with other requests. */
  readonly loopTime: LoopTime;
}

/** Bytes of a body that count as one order. A full batch of the largest bodies counts as many as it has. */
const BYTES_OF_ORDER = Math.ceil(BATCH_BODY_BYTES / 100);

/** More than an owner has connections to the database. */
const BATCHES_OF_OWNER_MAX = 16;

/** How many times the members and elements of the largest order a batch may have. */
const ORDERS_OF_VALUES = 10;

/** Returns the operation on several orders. */
export function orderBatches(domain: UntypedDomain, parts: BatchParts): readonly Operation[] {
  const { definition } = domain;
  const { NewOrderBatch, OrderBatch: Response, EXAMPLE } = orderBatchSchemas(definition);
  return [
    {
      id: 'create_order_batch',
      summary: 'Place or import orders together',
      description:
        'Each order has the result of placing it alone with its key, also when the batch is repeated. Takes a fraction of the time. With `import`, orders of another system come in, in any status; a repetition adds none.',
      method: 'POST',
      path: '/order_batches',
      scope: 'orders:write',
      cost: {
        policy: 'batch',
        unit: 'order',
        underWayMax: BATCHES_OF_OWNER_MAX,
        bytesPerUnit: BYTES_OF_ORDER,
        excess: tooManyOrders,
      },
      body: {
        types: JSON_TYPES,
        schema: NewOrderBatch,
        required: true,
        examples: { mugs: EXAMPLE },
        budget: {
          bytes: BATCH_BODY_BYTES,
          values: ORDERS_OF_VALUES * bodyBudget(orderBodies(definition).NewOrder).values,
        },
      },
      supports: [EXTERNAL_USER_ID_HEADER],
      status: 207,
      response: { schema: Response },
      measure: (request) => measure(domain, parts, request),
    },
  ];
}

function measure(domain: UntypedDomain, parts: BatchParts, request: FastifyRequest): Measured {
  const batch = readAction(request)
    .andThen(() => readJson(request))
    .andThen((body) => parseOrderBatch(body).mapErr(toProblem))
    .andThen((parsed) =>
      parsed.imports ? requireScopes(request, ['orders:import'], parts.scopeChallenge).map(() => parsed) : ok(parsed),
    );
  return {
    units: batch.match(
      ({ orders }) => orders.length,
      () => 1,
    ),
    work: () => batch.asyncAndThen((parsed) => new ResultAsync(create(domain, parts, request, parsed))),
  };
}

function tooManyOrders(units: number, limit: number): Problem {
  const message = `counts as ${units} orders, by their number or size, and the limit is ${limit} a minute`;
  return toProblem({ type: 'validation_failed', errors: [{ field: 'orders', code: 'too_long', message }] });
}

async function create(
  domain: UntypedDomain,
  { baseUrl, loopTime }: BatchParts,
  request: FastifyRequest,
  batch: OrderBatch,
): Promise<Result<SuccessResponse, Problem>> {
  const owner = ownerOf(request);
  const data: object[] = [];
  for (const part of partsOf(batch)) {
    await loopTime.turn(owner);
    const results = await charged(loopTime, owner, () => store(domain, request, part));
    charged(loopTime, owner, () => {
      for (const result of results._unsafeUnwrap()) data.push(present(result, request, baseUrl));
    });
  }
  return uncached({ data }, 207);
}

/** The result of an order, which both use cases have alike. */
type OrderResult = Result<Pick<OrderWritten<OrderDefinition>, 'order' | 'replayed'>, DomainError>;

function store(
  domain: UntypedDomain,
  request: FastifyRequest,
  batch: OrderBatch,
): ResultAsync<readonly OrderResult[], never> {
  const [owner, author] = [ownerOf(request), authorOf(request)];
  return batch.imports
    ? domain.importOrders(owner, batch.orders, { ...author, asHistory: batch.asHistory })
    : domain.placeOrders(owner, batch.orders, author);
}

function present(result: OrderResult, request: FastifyRequest, baseUrl: BaseUrl): object {
  return result.match(
    ({ order, replayed }) => ({ status: 201, replayed, order }),
    (error) => {
      const problem = toProblem(error);
      logCause(request, problem);
      return { status: statusOf(problem.code, false), problem: problemBody(problem, request.id, baseUrl) };
    },
  );
}
