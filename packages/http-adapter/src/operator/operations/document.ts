import type { OrderDefinition } from '@orders/domain';
import { Type } from 'typebox';
import { orderStatus, statusSet } from '../../api/definition-schemas.ts';
import { GET } from '../../api/operation.ts';
import { readAction } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation } from '../operator.ts';
import { OF_NO_OWNER, settled } from './operation-kinds.ts';

/** Maximum length of the name of a lookup that a definition declares, and how many it may declare. */
const [LOOKUP_LENGTH_MAX, LOOKUPS_MAX] = [64, 1000];

/**
 * Returns the operations that read what the server is, so that a program for operators needs to know none of it: the definition
 * of its orders, and the document of the listener, which `document` returns.
 */
export function documentOperations(definition: OrderDefinition, document: () => unknown): readonly OperatorOperation[] {
  // Made once, because it is much work, and by the first request, because the listener may have no port before.
  let made: unknown;
  const { statuses, lifecycle, initial, cancel, lookups } = definition;
  const Status = Type.Object(
    { status: orderStatus(definition), transitions: statusSet(definition) },
    { title: 'Status' },
  );
  const body = {
    statuses: statuses.map((status) => ({ status, transitions: [...(lifecycle[status] ?? [])] })),
    initial,
    cancel,
    lookups: Object.keys(lookups),
  };
  return [
    {
      id: 'get_definition',
      summary: 'Read the definition of orders',
      description: 'The statuses of orders in the order of their lifecycle, and by what orders are found.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/definition',
      role: 'viewer',
      response: {
        schema: Type.Object(
          {
            statuses: Type.Array(Status, { maxItems: statuses.length }),
            initial: orderStatus(definition),
            cancel: orderStatus(definition),
            lookups: Type.Array(Type.String({ pattern: '^[a-z0-9_]+$', maxLength: LOOKUP_LENGTH_MAX }), {
              maxItems: LOOKUPS_MAX,
              description: 'Names of the lookups `own.{name}`',
            }),
          },
          { title: 'Definition' },
        ),
      },
      handle: (request) => settled(readAction(request).andThen(() => uncached(body))),
    },
    {
      id: 'get_document',
      summary: 'Read this document',
      description: 'The OpenAPI document of this listener.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/openapi.json',
      role: 'viewer',
      response: { schema: Type.Unsafe<unknown>({ type: 'object', title: 'Document', additionalProperties: true }) },
      handle: (request) => settled(readAction(request).andThen(() => uncached((made ??= document())))),
    },
  ];
}
