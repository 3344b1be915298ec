import type { ChangeOptions, Owner, Page, ResourceId } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result, ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { DomainError, ListError } from '../problems/entry.ts';
import type { Problem } from '../problems/problem.ts';
import type { ListRequest } from '../request/page-request.ts';
import { CHANGE_HEADERS, readChange, readRetrieval } from '../request/request-parameters.ts';
import { ownerOf } from '../request-state.ts';
import { presentPage } from '../response/page-response.ts';
import { deleted, retrieved, toListResponse, toResponse } from '../response/responses.ts';
import { type CostOfRequest, type Handle, type Operation, READ, WRITE } from './operation.ts';

/** The members of an operation that those on several kinds of resources have alike. */
type Alike<Name extends keyof Operation> = Pick<Operation, Name | 'method' | 'body' | 'supports'> & {
  readonly cost: CostOfRequest;
  readonly handle: Handle;
};

/** Returns what operations that read a resource by its id have alike. */
export function retrieval(
  schema: TSchema,
  get: (owner: string, id: string | ResourceId) => ResultAsync<Parameters<typeof retrieved>[0], DomainError>,
): Alike<'description' | 'response'> {
  return {
    description: 'Returns 304 if `If-None-Match` has the current entity tag.',
    method: 'GET',
    cost: READ,
    body: null,
    supports: ['If-Match', 'If-None-Match'],
    response: { schema },
    handle: (request) =>
      readRetrieval(request).asyncAndThen(({ id, evaluate }) =>
        toResponse(get(ownerOf(request), id), (resource) => retrieved(resource, evaluate)),
      ),
  };
}

/** Returns what operations that delete a resource have alike. */
export function deletion(
  remove: (
    owner: string,
    id: string | ResourceId,
    options: ChangeOptions,
  ) => ResultAsync<Parameters<typeof deleted>[0], DomainError>,
): Alike<'status'> {
  return {
    method: 'DELETE',
    cost: WRITE,
    body: null,
    supports: CHANGE_HEADERS,
    status: 204,
    handle: (request) =>
      readChange(request).asyncAndThen(({ id, options }) => toResponse(remove(ownerOf(request), id, options), deleted)),
  };
}

/** Returns the handler of an operation that lists: `read` parses a request, and `list` returns its page. */
export function listing<Parsed extends Pick<ListRequest<unknown>, 'page'>, Element, Value extends string | number>(
  read: (request: FastifyRequest) => Result<Parsed, Problem>,
  list: (owner: Owner, parsed: Parsed) => ResultAsync<Page<Element, Value>, ListError>,
): Handle {
  return (request) =>
    read(request).asyncAndThen((parsed) =>
      toListResponse(list(ownerOf(request), parsed), (found) => presentPage(request, parsed.page, found)),
    );
}
