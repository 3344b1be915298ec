import { PAGE_LIMIT_MAX } from '@orders/domain';
import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { nullable, TEXT, Timestamp, Uuid } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { uncached } from '../../response/responses.ts';
import { masked } from '../masked.ts';
import type { OperatorAudit, OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';
import { NEWEST_QUERY, readNewestQuery } from './read-newest-query.ts';

const AuditRecord = Type.Object(
  {
    id: Uuid,
    occurred_at: Timestamp,
    owner: nullable(Type.String({ ...TEXT, maxLength: 255 }), { description: 'Null for what is about none' }),
    actor: Type.String({ ...TEXT, maxLength: 255 }),
    action: Type.String({ ...TEXT, maxLength: 100, description: 'The operation, such as `get_order`' }),
    subject: nullable(Type.String({ ...TEXT, maxLength: 2000 }), { description: 'The id of what it was about' }),
    reason: nullable(Type.String({ ...TEXT, maxLength: 500 }), {
      description: 'Null for a viewer, and once it is erased',
    }),
  },
  { title: 'AuditRecord' },
);

/** What operations on the audit use. */
export interface AuditParts {
  readonly audit: Pick<OperatorAudit, 'list'>;
}

/** Returns the operations on the record of what operators did. */
export function auditOperations({ audit }: AuditParts): readonly OperatorOperation[] {
  return [
    {
      id: 'list_audit',
      summary: 'List what operators did',
      description:
        'Every write of an operator, and every read of personal data, the newest first: of the owner in `Orders-Owner`, or of all owners and without one. `complete` is false when a node of the database did not respond: records about its owners are missing.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/audit',
      role: 'viewer',
      query: NEWEST_QUERY,
      response: {
        schema: Type.Object(
          { data: Type.Array(AuditRecord, { maxItems: PAGE_LIMIT_MAX }), complete: Type.Boolean() },
          { title: 'AuditRecords' },
        ),
      },
      handle: (request) => {
        const { owner, role } = operatorOf(request);
        return readNewestQuery(request)
          .asyncAndThen((query) => audit.list({ owner, ...query }).mapErr(toProblem))
          .andThen(({ records: data, is_complete: complete }) =>
            uncached(role === 'viewer' ? masked({ data, complete }) : { data, complete }),
          );
      },
    },
  ];
}
