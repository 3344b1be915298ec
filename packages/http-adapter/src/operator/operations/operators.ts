import { randomUUID } from 'node:crypto';
import { err } from 'neverthrow';
import { Type } from 'typebox';
import { GET, WRITE } from '../../api/operation.ts';
import { OptionalTimestamp, Timestamp, Uuid } from '../../api/schemas.ts';
import { occurrenceOf } from '../../problems/catalog.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { BaseUrl } from '../../problems/problem.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readAction, readId } from '../../request/request-parameters.ts';
import { setCreatedId } from '../../request-state.ts';
import { deleted, uncached } from '../../response/responses.ts';
import {
  NAME_LENGTH_MAX,
  newSignInToken,
  OPERATOR_ROLES,
  type OperatorOperation,
  type OperatorStore,
  signInLink,
} from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';
import { readBody, readLine, readOneOf } from './read-body.ts';
import { Name, Role } from './schemas.ts';
/** As the store lists at most. */
const OPERATORS_MAX = 1000;

const NewOperator = Type.Object({ name: Name, role: Role }, { title: 'NewOperator', additionalProperties: false });
const Operator = Type.Object(
  {
    id: Uuid,
    name: Name,
    role: Role,
    created_at: Timestamp,
    revoked_at: OptionalTimestamp,
    last_used_at: OptionalTimestamp,
    sessions: Type.Integer({
      format: 'int32',
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description: 'Sessions that have not ended',
    }),
  },
  { title: 'Operator' },
);
const CreatedOperator = Type.Object(
  {
    id: Uuid,
    name: Name,
    role: Role,
    sign_in_url: Type.String({ format: 'uri', maxLength: 2048, description: 'Signs in once' }),
    expires_at: Timestamp,
  },
  { title: 'CreatedOperator' },
);

/** What operations on operators use. */
export interface OperatorParts {
  readonly operators: Pick<OperatorStore, 'create' | 'list' | 'revoke'>;
  /** The URL of the listener. */
  readonly adminUrl: BaseUrl;
  readonly now: () => Date;
}

/** Returns the operations on operators. */
export function operatorsOperations({ operators, adminUrl, now }: OperatorParts): readonly OperatorOperation[] {
  return [
    {
      id: 'list_operators',
      summary: 'List operators',
      description: 'All operators, the oldest first, also those who were revoked.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/operators',
      role: 'admin',
      response: {
        schema: Type.Object({ data: Type.Array(Operator, { maxItems: OPERATORS_MAX }) }, { title: 'Operators' }),
      },
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          operators
            .list(now().toISOString())
            .mapErr(toProblem)
            .andThen((data) => uncached({ data })),
        ),
    },
    {
      id: 'create_operator',
      summary: 'Create an operator',
      description: 'Returns a link that signs in once, within 15 minutes. It is shown once.',
      method: 'POST',
      ...OF_NO_OWNER,
      changes: true,
      path: '/admin/v1/operators',
      role: 'admin',
      cost: WRITE,
      body: {
        types: JSON_TYPES,
        schema: NewOperator,
        required: true,
        examples: { support: { name: 'Ada', role: 'support' } },
      },
      response: { schema: CreatedOperator },
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { name: readLine(NAME_LENGTH_MAX), role: readOneOf(OPERATOR_ROLES) }))
          .asyncAndThen((created) => {
            const { token, ...link } = newSignInToken(now());
            const operator = { id: randomUUID(), ...created };
            setCreatedId(request, operator.id);
            return operators
              .create(operator, link, byOperator(request))
              .mapErr(toProblem)
              .andThen(() =>
                uncached({ ...operator, sign_in_url: signInLink(adminUrl(), token), expires_at: link.expires_at }),
              );
          }),
    },
    {
      id: 'revoke_operator',
      summary: 'Revoke an operator',
      description: 'Ends all sessions at once. What the operator did stays recorded.',
      method: 'DELETE',
      ...OF_NO_OWNER,
      changes: true,
      path: '/admin/v1/operators/:id',
      role: 'admin',
      cost: WRITE,
      body: null,
      status: 204,
      problems: ['not_found'],
      handle: (request) => {
        const faults = RequestFaults.of(request);
        const id = readId(request, faults);
        return readAction(request)
          .andThen(() => faults.toResult(id.toString()))
          .asyncAndThen((valid) =>
            operators
              .revoke(valid, now().toISOString(), byOperator(request))
              .mapErr(toProblem)
              .andThen((isRevoked) => (isRevoked ? deleted({ replayed: false }) : err(occurrenceOf('not_found')))),
          );
      },
    },
  ];
}
