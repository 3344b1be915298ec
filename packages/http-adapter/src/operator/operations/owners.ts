import { Type } from 'typebox';
import { GET, WRITE } from '../../api/operation.ts';
import { Timestamp } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { readAction } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation, OwnerSuspensions } from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';
import { readBody, readBoolean, readOwner } from './read-body.ts';
import { OwnerName } from './schemas.ts';

const Suspended = Type.Object({ owner: OwnerName, suspended_at: Timestamp }, { title: 'SuspendedOwner' });
const OwnerChange = Type.Object(
  { owner: OwnerName, suspended: Type.Boolean() },
  { title: 'OwnerChange', additionalProperties: false },
);

/** What operations on owners use. */
export interface OwnerParts {
  readonly suspensions: OwnerSuspensions;
  readonly now: () => Date;
}

/** Returns the operations on owners. */
export function ownerOperations({ suspensions, now }: OwnerParts): readonly OperatorOperation[] {
  return [
    {
      id: 'list_suspended_owners',
      summary: 'List suspended owners',
      description: 'The first 10,000, by owner.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/suspended_owners',
      role: 'viewer',
      response: {
        schema: Type.Object({ data: Type.Array(Suspended, { maxItems: 10_000 }) }, { title: 'SuspendedOwners' }),
      },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          suspensions
            .list()
            .mapErr(toProblem)
            .andThen((data) => uncached({ data })),
        ),
    },
    {
      id: 'change_owner',
      summary: 'Suspend an owner, or end it',
      description:
        'Requests of a suspended owner get 403 `owner_suspended`, within ten seconds on all servers. Its events and webhooks go on, and operators still act for it.',
      method: 'POST',
      ...OF_NO_OWNER,
      changes: true,
      path: '/admin/v1/owner_changes',
      role: 'admin',
      cost: WRITE,
      body: {
        types: JSON_TYPES,
        schema: OwnerChange,
        required: true,
        examples: { suspend: { owner: 'shop', suspended: true } },
      },
      response: { schema: OwnerChange },
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { owner: readOwner, suspended: readBoolean }))
          .asyncAndThen(({ owner, suspended }) =>
            suspensions
              .change(owner, suspended, now().toISOString(), byOperator(request))
              .mapErr(toProblem)
              .andThen(() => uncached({ owner, suspended })),
          ),
    },
  ];
}
