import { Type } from 'typebox';
import { hashApiKey } from '../../admission/authentication/api-keys.ts';
import { GET, WRITE } from '../../api/operation.ts';
import { Timestamp, Uuid } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { readAction } from '../../request/request-parameters.ts';
import { deleted, uncached } from '../../response/responses.ts';
import type { OperatorOperation, OperatorRole, OperatorStore } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { OF_NO_OWNER, settled } from './operation-kinds.ts';
import { Name, Role } from './schemas.ts';

const Token = Type.String({
  pattern: '^ops_[A-Za-z0-9_-]{43}$',
  maxLength: 48,
  description: 'Shown once, and stored as a hash',
});
const Session = Type.Object(
  { id: Uuid, name: Name, role: Role, expires_at: Timestamp },
  {
    title: 'OperatorSession',
    description: 'Who is signed in, until when. An hour without a request ends a session, too',
  },
);
const NewSession = Type.Object({ ...Session.properties, token: Token }, { title: 'NewOperatorSession' });
const CurrentSession = Type.Object(
  {
    ...Session.properties,
    operations: Type.Array(Type.String({ pattern: '^[a-z_]+(:[a-z_]+)?$', maxLength: 64 }), {
      maxItems: 1000,
      description:
        'The ids of the operations that the role may use, as in the document. Where that differs by kind, each kind follows as `create_job:redeliver`',
    }),
  },
  { title: 'CurrentOperatorSession' },
);

/** What operations on sessions use. */
export interface SessionParts {
  readonly operators: Pick<OperatorStore, 'signOut'>;
  readonly now: () => Date;
  /** Returns the ids of the operations that a role may use, and their kinds that it may. */
  readonly operationsOf: (role: OperatorRole) => readonly string[];
}

/** Returns the operations on the session of an operator. */
export function sessionOperations({ operators, now, operationsOf }: SessionParts): readonly OperatorOperation[] {
  return [
    {
      id: 'sign_in',
      summary: 'Sign in by a link',
      description:
        'The bearer token is that of a link, which works once within 15 minutes. Returns that of a session of eight hours.',
      method: 'POST',
      path: '/admin/v1/sessions',
      ...OF_NO_OWNER,
      role: 'viewer',
      signsIn: true,
      cost: WRITE,
      body: null,
      response: { schema: NewSession },
      handle: (request) => {
        const { id, name, role, expires_at, token } = operatorOf(request);
        return settled(readAction(request).andThen(() => uncached({ id, name, role, expires_at, token })));
      },
    },
    {
      id: 'get_session',
      summary: 'Read who is signed in',
      description: 'Whose session the token is, and what the role may do.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/session',
      role: 'viewer',
      response: { schema: CurrentSession },
      handle: (request) => {
        const { id, name, role, expires_at } = operatorOf(request);
        const operations = operationsOf(role);
        return settled(readAction(request).andThen(() => uncached({ id, name, role, expires_at, operations })));
      },
    },
    {
      id: 'sign_out',
      summary: 'Sign out',
      description: 'Ends the session at once.',
      method: 'DELETE',
      ...OF_NO_OWNER,
      path: '/admin/v1/session',
      role: 'viewer',
      cost: WRITE,
      body: null,
      status: 204,
      handle: (request) =>
        readAction(request).asyncAndThen(() =>
          operators
            .signOut(hashApiKey(operatorOf(request).token), now().toISOString())
            .mapErr(toProblem)
            .andThen(() => deleted({ replayed: false })),
        ),
    },
  ];
}
