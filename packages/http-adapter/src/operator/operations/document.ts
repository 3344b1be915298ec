import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { readAction } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation } from '../operator.ts';
import { OF_NO_OWNER, settled } from './operation-kinds.ts';

/** Returns the operation that reads the document of the listener, which `document` returns. */
export function documentOperations(document: () => unknown): readonly OperatorOperation[] {
  return [
    {
      id: 'get_document',
      summary: 'Read this document',
      description: 'The OpenAPI document of this listener.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/openapi.json',
      role: 'viewer',
      response: { schema: Type.Unsafe<unknown>({ type: 'object', title: 'Document', additionalProperties: true }) },
      handle: (request) => settled(readAction(request).andThen(() => uncached(document()))),
    },
  ];
}
