import type { ChangeOptions, ResourceId } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { TSchema } from 'typebox';
import type { DomainError } from '../problems/entry.ts';
import { CHANGE_HEADERS, readChange, readRetrieval } from '../request/request-parameters.ts';
import { ownerOf } from '../request-state.ts';
import { deleted, retrieved, toResponse } from '../response/responses.ts';
import { type Handle, type Operation, READ, WRITE } from './operation.ts';

/** The members of an operation that those on several kinds of resources have alike. */
type Alike<Name extends keyof Operation> = Pick<Operation, Name | 'method' | 'body' | 'supports'> & {
  readonly cost: typeof READ;
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
