import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '@orders/domain';
import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { nullable, PAGE_QUERY, TEXT, Timestamp, Uuid } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readInteger, readQuery } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import { masked } from '../masked.ts';
import type { OperatorAudit, OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';

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
        'Every write of an operator, and every read of personal data, the newest first: of the owner in `Orders-Owner`, or of all owners and without one.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/audit',
      role: 'viewer',
      query: {
        limit: PAGE_QUERY.limit,
        before: Type.Unsafe<string>({ ...Uuid, title: undefined, description: 'The last id of the page before' }),
      },
      response: {
        schema: Type.Object({ data: Type.Array(AuditRecord, { maxItems: PAGE_LIMIT_MAX }) }, { title: 'AuditRecords' }),
      },
      handle: (request) => {
        const faults = RequestFaults.of(request);
        const sent = readQuery(request, ['limit', 'before'], faults);
        const limit = readInteger(sent.limit, 'limit', faults) ?? PAGE_LIMIT_DEFAULT;
        if (limit < 1 || limit > PAGE_LIMIT_MAX)
          faults.add('invalid_parameter', 'limit', 'out_of_range', `must be between 1 and ${PAGE_LIMIT_MAX}`);
        if (sent.before !== undefined && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sent.before))
          faults.add('invalid_parameter', 'before', 'invalid_format', 'must be a UUID');
        const { owner, role } = operatorOf(request);
        return faults
          .toResult({ owner, before: sent.before ?? null, limit })
          .asyncAndThen((query) => audit.list(query).mapErr(toProblem))
          .andThen((data) => uncached(role === 'viewer' ? masked({ data }) : { data }));
      },
    },
  ];
}
