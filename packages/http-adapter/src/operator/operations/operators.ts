import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { OptionalTimestamp, pageOf, Timestamp, Uuid } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { BaseUrl } from '../../problems/problem.ts';
import { PATCH_TYPES } from '../../request/media-types.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readAction, readId } from '../../request/request-parameters.ts';
import { setCreatedId } from '../../request-state.ts';
import { uncached } from '../../response/responses.ts';
import {
  idleSince,
  type IssuedToken,
  NAME_LENGTH_MAX,
  newSignInToken,
  OPERATOR_ROLES,
  type OperatorOperation,
  type OperatorStore,
  signInLink,
} from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import { ADMINISTRATION, doneOrNotFound, JSON_BODY, OF_NO_OWNER, ofId } from './operation-kinds.ts';
import { readBody, readLine, readOneOf } from './read-body.ts';
import { CREATED_QUERY, readCreatedPage } from './read-created-page.ts';
import { Name, Role } from './schemas.ts';

const NewOperator = Type.Object({ name: Name, role: Role }, { title: 'NewOperator', additionalProperties: false });
const Operator = Type.Object(
  {
    id: Uuid,
    name: Name,
    role: Role,
    signs_in: Type.String({ enum: ['link', 'proxy'], description: 'By links, or by the tokens of a proxy' }),
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
const Link = {
  sign_in_url: Type.String({ format: 'uri', maxLength: 2048, description: 'Signs in once, until `expires_at`' }),
  expires_at: Timestamp,
};
const CreatedOperator = Type.Object({ id: Uuid, name: Name, role: Role, ...Link }, { title: 'CreatedOperator' });
const OperatorChange = Type.Object({ name: Name }, { title: 'OperatorChange', additionalProperties: false });
const OpenSession = Type.Object(
  { id: Uuid, created_at: Timestamp, expires_at: Timestamp, last_used_at: Timestamp },
  { title: 'OpenSession', description: 'A session that has not ended' },
);

/** What operations on operators use. */
export interface OperatorParts {
  readonly operators: Omit<OperatorStore, 'signIn' | 'signOut' | 'useSession'>;
  /** The URL of the listener. */
  readonly adminUrl: BaseUrl;
  readonly now: () => Date;
}

/** Returns the operations on operators. */
export function operatorsOperations({ operators, adminUrl, now }: OperatorParts): readonly OperatorOperation[] {
  const linkOf = ({ token, expires_at }: IssuedToken) => ({ sign_in_url: signInLink(adminUrl(), token), expires_at });
  return [
    {
      id: 'list_operators',
      summary: 'List operators',
      description: 'The oldest first, also those who were revoked.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/operators',
      role: 'admin',
      query: CREATED_QUERY,
      response: { schema: pageOf('Operators', Operator) },
      handle: (request) =>
        readCreatedPage(request, 'operators').asyncAndThen(({ query, present }) =>
          operators
            .list({ at: now().toISOString(), ...query })
            .mapErr(toProblem)
            .andThen(present),
        ),
    },
    {
      id: 'create_operator',
      summary: 'Create an operator',
      description: 'Returns a link that signs in once, within 15 minutes. It is shown once.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/operators',
      body: { ...JSON_BODY, schema: NewOperator, examples: { support: { name: 'Ada', role: 'support' } } },
      response: { schema: CreatedOperator },
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { name: readLine(NAME_LENGTH_MAX), role: readOneOf(OPERATOR_ROLES) }))
          .asyncAndThen((created) => {
            const issued = newSignInToken(now());
            const operator = { id: randomUUID(), ...created };
            setCreatedId(request, operator.id);
            return operators
              .create(operator, issued, byOperator(request))
              .mapErr(toProblem)
              .andThen(() => uncached({ ...operator, ...linkOf(issued) }));
          }),
    },
    {
      id: 'rename_operator',
      summary: 'Rename an operator',
      description: 'What the operator did has no name, so that all of it has the new one.',
      method: 'PATCH',
      ...ADMINISTRATION,
      path: '/admin/v1/operators/:id',
      body: { ...JSON_BODY, types: PATCH_TYPES, schema: OperatorChange, examples: { name: { name: 'Ada L.' } } },
      status: 204,
      problems: ['not_found'],
      handle: ofId((request, id) =>
        readBody(request, { name: readLine(NAME_LENGTH_MAX) }).asyncAndThen(({ name }) =>
          doneOrNotFound(operators.rename(id, name, byOperator(request))),
        ),
      ),
    },
    {
      id: 'link_operator',
      summary: 'Link an operator again',
      description:
        'Returns another link that signs in once, within 15 minutes. It is shown once. Sessions go on. An operator whom a proxy signs in gets none.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/operators/:id/links',
      body: null,
      response: { schema: Type.Object(Link, { title: 'SignInLink' }) },
      problems: ['not_found'],
      handle: ofId((request, id) => {
        const issued = newSignInToken(now());
        const stored = operators.link(id, issued, byOperator(request));
        return doneOrNotFound(stored, () => uncached(linkOf(issued)));
      }),
    },
    {
      id: 'list_operator_sessions',
      summary: 'List the sessions of an operator',
      description: 'The sessions that have not ended, the newest first.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/operators/:id/sessions',
      role: 'admin',
      query: CREATED_QUERY,
      response: { schema: pageOf('OpenSessions', OpenSession) },
      handle: (request) => {
        const faults = RequestFaults.of(request);
        const id = readId(request, faults).toString();
        return readCreatedPage(request, 'sessions', [id], faults).asyncAndThen(({ query, present }) =>
          operators
            .sessions(id, { at: now().toISOString(), idleSince: idleSince(now()), ...query })
            .mapErr(toProblem)
            .andThen(present),
        );
      },
    },
    {
      id: 'end_operator_session',
      summary: 'End a session of an operator',
      description: 'Its next request is refused. The operator can sign in again by a new link.',
      method: 'DELETE',
      ...ADMINISTRATION,
      path: '/admin/v1/sessions/:id',
      body: null,
      status: 204,
      problems: ['not_found'],
      handle: ofId((request, id) => doneOrNotFound(operators.endSession(id, now().toISOString(), byOperator(request)))),
    },
    {
      id: 'revoke_operator',
      summary: 'Revoke an operator',
      description: 'Ends all sessions at once. What the operator did stays recorded.',
      method: 'DELETE',
      ...ADMINISTRATION,
      path: '/admin/v1/operators/:id',
      body: null,
      status: 204,
      problems: ['not_found'],
      handle: ofId((request, id) => doneOrNotFound(operators.revoke(id, now().toISOString(), byOperator(request)))),
    },
  ];
}
