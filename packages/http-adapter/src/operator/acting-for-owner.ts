import { AsyncLocalStorage } from 'node:async_hooks';
import { type Domain, type OrderDefinition, OWN_PREFIX } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import type { Operation } from '../api/operation.ts';
import { toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import { canonicalPath } from '../request/api-version.ts';
import { isRecord } from '../request/request-parameters.ts';
import { resourceIdOf } from '../request-state.ts';
import type { SuccessResponse } from '../response/send-response.ts';
import { masked } from './masked.ts';
import {
  type AuditedWrite,
  type AuditEntry,
  includesRole,
  insufficientRole,
  type OperatorAudit,
  type OperatorOperation,
  ROLE_OF_SCOPE,
} from './operator.ts';
import { actorOf, identifiedAgain, operatorOf } from './operator-principals.ts';

/** The use cases of the transaction of the current write, and the version that they have made. */
interface CurrentWrite {
  readonly domain: Domain<OrderDefinition>;
  version?: number;
}

const WRITE = new AsyncLocalStorage<CurrentWrite>();

/** Returns use cases that are part of the transaction of the current write, if there is one, and note what they make. */
export function inCurrentTransaction(domain: Domain<OrderDefinition>): Domain<OrderDefinition> {
  const members: readonly (readonly [string, unknown])[] = Object.entries(domain);
  const own = members.map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const useCase = (...input: readonly unknown[]): unknown => {
      const write = WRITE.getStore();
      const current: unknown = Reflect.get(write?.domain ?? domain, name);
      const result: unknown = typeof current === 'function' ? Reflect.apply(current, undefined, input) : undefined;
      return write && result instanceof ResultAsync ? result.map((written: unknown) => noted(write, written)) : result;
    };
    return [name, useCase];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members
  return Object.fromEntries(own) as Domain<OrderDefinition>;
}

/** Returns the result of a use case, of which only a write that made a version has an event. */
function noted<T>(write: CurrentWrite, result: T): T {
  const event: unknown = Reflect.get(Object(result), 'event');
  const version: unknown = Reflect.get(Object(event), 'version');
  if (typeof version === 'number') write.version = version;
  return result;
}

/** What is recorded of the current write, whose store makes both in one transaction. */
const ENTRY = new AsyncLocalStorage<() => AuditEntry>();

/**
 * Returns what is recorded of the current write on webhook endpoints, for the store of the use cases.
 *
 * @throws {Error} there is none
 */
export function currentEntry(): AuditEntry {
  const entryOf = ENTRY.getStore();
  if (!entryOf) throw new Error('the write is not of an operator');
  return entryOf();
}

/** Reads that return what is of one order, person or endpoint in full. A list with its resources is one, too. */
const REVEALS = new Set([
  'get_order',
  'get_order_version',
  'get_customer',
  'list_customer_data',
  'list_person_data',
  'get_webhook_endpoint',
]);

/** Writes that send something, which no transaction takes back: they are recorded before. */
const SENDS = new Set(['test_webhook_endpoint', 'redeliver_webhook_event']);

function selects(name: string, { query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && name in query;
}

/** Whether a list is of orders with a value in their custom data, which its result confirms. */
export function looksUpCustomData({ query }: FastifyRequest): boolean {
  return isRecord(query) && String(query['lookup']).startsWith(OWN_PREFIX);
}

/** What acting for an owner needs. */
export interface Acting {
  readonly audit: Pick<OperatorAudit, 'record'>;
  readonly write: AuditedWrite;
}

/**
 * Returns the operations of the API that operators have: the same ones, with a role in place of a scope. A write is made and
 * recorded in one transaction. A read has no personal data, unless it is about one order or person, by a role that may see it;
 * then it is recorded before its response. Batches are left out, because one transaction would hold all of their orders.
 */
export function actingForOwner(operations: readonly Operation[], acting: Acting): readonly OperatorOperation[] {
  return operations.flatMap((operation): OperatorOperation[] => {
    const { id, scope, path, method } = operation;
    const isRead = scope.endsWith(':read');
    // A read has a body when its criteria are personal data.
    const role = (isRead && method !== 'GET') || SENDS.has(id) ? 'support' : ROLE_OF_SCOPE[scope];
    if (role === undefined || operation.cost.unit === 'order') return [];
    const changes = method !== 'GET' && !isRead;
    const reveals = (request: FastifyRequest) =>
      REVEALS.has(id) || (id === 'list_events' && selects('include', request));
    // What is found by an email or custom data is masked, and confirms that a person is there.
    const confirms = (request: FastifyRequest) => (isRead && method !== 'GET') || looksUpCustomData(request);
    const route = { role, about: 'owner', changes, reveals, path: canonicalPath(path) } as const;
    if ('measure' in operation) {
      const measure = (request: FastifyRequest) => {
        const { units, work } = operation.measure(request);
        return { units, work: (charge: Parameters<typeof work>[0]) => work(charge).map(withoutPersonalData) };
      };
      return [{ ...operation, ...route, measure }];
    }
    const { handle, waitMaxMs = 0 } = operation;
    const done = (request: FastifyRequest, response: SuccessResponse) => {
      const isShown = includesRole(operatorOf(request).role, 'support') && reveals(request);
      const shown = isShown ? response : withoutPersonalData(response);
      if (!isShown && !confirms(request)) return okAsync<SuccessResponse, Problem>(shown);
      return recordRead(request, operation, acting).map(() => shown);
    };
    // Who has waited may have been revoked meanwhile.
    const admitted = (request: FastifyRequest) => (waitMaxMs > 0 ? identifiedAgain(request) : okAsync(null));
    return [
      {
        ...operation,
        ...route,
        handle: changes
          ? (request, reply) => writeFor(request, operation, acting, () => handle(request, reply))
          : (request, reply) => {
              // An order that is found by custom data would show a viewer what it is.
              if (selects('lookup', request) && !includesRole(operatorOf(request).role, 'support'))
                return errAsync(insufficientRole('support'));
              return handle(request, reply).andThen((response) =>
                admitted(request).andThen(() => done(request, response)),
              );
            },
      },
    ];
  });
}

/** Records a read before its response. */
export function recordRead(
  request: FastifyRequest,
  operation: Pick<Operation, 'id' | 'scope'>,
  { audit }: Pick<Acting, 'audit'>,
): ResultAsync<null, Problem> {
  return audit.record(entryOf(request, operation)).mapErr(toProblem);
}

/**
 * Writes for an owner, and records it with it, or before if it sends something. The response is what was written, which the
 * record of the write is also the record of.
 */
export function writeFor(
  request: FastifyRequest,
  operation: Pick<Operation, 'id' | 'scope'>,
  { write, audit }: Acting,
  handle: () => ResultAsync<SuccessResponse, Problem>,
): ResultAsync<SuccessResponse, Problem> {
  const { owner, reason } = operatorOf(request);
  if (owner === null) return errAsync({ code: 'internal_error', detail: 'The write has no owner.' });
  const entry = () => entryOf(request, operation);
  if (SENDS.has(operation.id)) return audit.record(entry()).mapErr(toProblem).andThen(handle);
  // The store knows the subject, by which a deletion finds the reason.
  if (operation.scope === 'webhooks:write') return ENTRY.run(() => ({ ...entry(), reason }), handle);
  let current: CurrentWrite | undefined;
  return write(
    owner,
    (domain) => WRITE.run((current = { domain }), handle),
    () => ({ ...entry(), version: current?.version }),
  ).mapErr((error) => ('code' in error ? error : toProblem(error)));
}

/** Writes whose subject no later erasure finds: a customer who is gone, and an endpoint in place of the order of its event. */
const SUBJECT_IS_NOT_FOUND = new Set(['delete_customer', 'redeliver_webhook_event']);

/**
 * Returns what is recorded of a request. A reason is kept only where an erasure finds it: by its subject, which is erased later.
 */
function entryOf(request: FastifyRequest, { id, scope }: Pick<Operation, 'id' | 'scope'>): AuditEntry {
  const operator = operatorOf(request);
  const subject = resourceIdOf(request)?.toString() ?? null;
  const isFound = subject !== null && scope !== 'customers:erase' && !SUBJECT_IS_NOT_FOUND.has(id);
  return {
    owner: operator.owner,
    actor: actorOf(operator),
    action: id,
    subject,
    reason: isFound ? operator.reason : null,
  };
}

function withoutPersonalData(response: SuccessResponse): SuccessResponse {
  return response.body === undefined ? response : { ...response, body: masked(response.body) };
}
