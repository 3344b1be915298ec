import { randomUUID } from 'node:crypto';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { type Static, Type } from 'typebox';
import { type InvalidField, isOwner, type Owner, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '@orders/domain';
import { hashApiKey } from '../admission/authentication/api-keys.ts';
import { GET, READ, WRITE } from '../api/operation.ts';
import { nullable, OptionalTimestamp, PAGE_QUERY, TEXT, Timestamp, Uuid } from '../api/schemas.ts';
import { occurrenceOf } from '../problems/catalog.ts';
import { toProblem } from '../problems/from-domain.ts';
import type { BaseUrl, Problem } from '../problems/problem.ts';
import { readJson } from '../request/json-body.ts';
import { JSON_TYPES } from '../request/media-types.ts';
import { readAction, readId, readInteger, readQuery } from '../request/request-parameters.ts';
import { RequestFaults } from '../request/request-faults.ts';
import { setCreatedId } from '../request-state.ts';
import { deleted, uncached } from '../response/responses.ts';
import { masked } from './masked.ts';
import {
  isLine,
  NAME_LENGTH_MAX,
  newSignInToken,
  OPERATOR_ROLES,
  type OperatorAudit,
  type OperatorOperation,
  type OperatorRole,
  type OperatorStore,
  type OwnerSuspensions,
  signInLink,
} from './operator.ts';
import { actorOf, operatorOf } from './operator-principals.ts';

/** As the store lists at most. */
const OPERATORS_MAX = 1000;

const Role = Type.String({
  title: 'OperatorRole',
  enum: [...OPERATOR_ROLES],
  description: 'Each may do what those before it may',
});
const Name = Type.String({
  ...TEXT,
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: 'What others call the operator',
});
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
const AuditRecord = Type.Object(
  {
    id: Uuid,
    occurred_at: Timestamp,
    owner: nullable(Type.String({ ...TEXT, maxLength: 255 }), { description: 'Null for what is about no owner' }),
    actor: Type.String({ ...TEXT, maxLength: 255 }),
    action: Type.String({ ...TEXT, maxLength: 100, description: 'The operation, such as `get_order`' }),
    subject: nullable(Type.String({ ...TEXT, maxLength: 255 }), { description: 'The id of what it was about' }),
    reason: nullable(Type.String({ ...TEXT, maxLength: 500 }), {
      description: 'Null for a viewer, and once it is erased',
    }),
  },
  { title: 'AuditRecord' },
);

const OwnerName = Type.String({ pattern: '^[ -~]+$', minLength: 1, maxLength: 255 });
const Suspended = Type.Object({ owner: OwnerName, suspended_at: Timestamp }, { title: 'SuspendedOwner' });
const OwnerChange = Type.Object(
  { owner: OwnerName, suspended: Type.Boolean() },
  { title: 'OwnerChange', additionalProperties: false },
);

/** What the operations use. */
export interface OperatorParts {
  readonly operators: OperatorStore;
  readonly audit: OperatorAudit;
  readonly suspensions: OwnerSuspensions;
  /** The URL of the listener. */
  readonly adminUrl: BaseUrl;
  readonly now: () => Date;
  /** Returns the document of the listener. */
  readonly document: () => unknown;
}

const NEVER = { about: 'none', changes: false, reveals: () => false } as const;

/** Returns the operations on what belongs to no owner. */
export function operatorOperations({
  operators,
  audit,
  suspensions,
  adminUrl,
  now,
  document,
}: OperatorParts): readonly OperatorOperation[] {
  const by = (request: Parameters<typeof operatorOf>[0]) => {
    const operator = operatorOf(request);
    return { actor: actorOf(operator), reason: operator.reason };
  };
  return [
    {
      id: 'sign_in',
      summary: 'Sign in by a link',
      description:
        'The bearer token is that of a link, which works once within 15 minutes. Returns that of a session of eight hours.',
      method: 'POST',
      path: '/admin/v1/sessions',
      ...NEVER,
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
      ...NEVER,
      path: '/admin/v1/session',
      role: 'viewer',
      response: { schema: Session },
      handle: (request) => {
        const { id, name, role, expires_at } = operatorOf(request);
        return settled(readAction(request).andThen(() => uncached({ id, name, role, expires_at })));
      },
    },
    {
      id: 'sign_out',
      summary: 'Sign out',
      description: 'Ends the session at once.',
      method: 'DELETE',
      ...NEVER,
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
    {
      id: 'list_operators',
      summary: 'List operators',
      description: 'All operators, the oldest first, also those who were revoked.',
      ...GET,
      ...NEVER,
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
      ...NEVER,
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
          .andThen(() => readJson(request))
          .andThen(readNewOperator)
          .asyncAndThen((created) => {
            const { token, ...link } = newSignInToken(now());
            const operator = { id: randomUUID(), ...created };
            setCreatedId(request, operator.id);
            return operators
              .create(operator, link, by(request))
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
      ...NEVER,
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
              .revoke(valid, now().toISOString(), by(request))
              .mapErr(toProblem)
              .andThen((isRevoked) => (isRevoked ? deleted({ replayed: false }) : err(occurrenceOf('not_found')))),
          );
      },
    },
    {
      id: 'list_suspended_owners',
      summary: 'List suspended owners',
      description: 'The first 10,000, by owner.',
      ...GET,
      ...NEVER,
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
      ...NEVER,
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
          .andThen(() => readJson(request))
          .andThen(readOwnerChange)
          .asyncAndThen(({ owner, suspended }) =>
            suspensions
              .change(owner, suspended, now().toISOString(), by(request))
              .mapErr(toProblem)
              .andThen(() => uncached({ owner, suspended })),
          ),
    },
    {
      id: 'list_audit',
      summary: 'List what operators did',
      description:
        'Every write of an operator, and every read of personal data, the newest first: of the owner in `Orders-Owner`, or of all owners and without one.',
      ...GET,
      ...NEVER,
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
    {
      id: 'get_document',
      summary: 'Read this document',
      description: 'The OpenAPI document of this listener.',
      ...GET,
      ...NEVER,
      path: '/admin/openapi.json',
      role: 'viewer',
      cost: READ,
      response: { schema: Type.Unsafe<unknown>({ type: 'object', title: 'Document', additionalProperties: true }) },
      handle: (request) => settled(readAction(request).andThen(() => uncached(document()))),
    },
  ];
}

function settled<T>(result: Result<T, Problem>): ResultAsync<T, Problem> {
  return new ResultAsync(Promise.resolve(result));
}

function readOwnerChange(body: unknown): Result<{ readonly owner: Owner; readonly suspended: boolean }, Problem> {
  const { owner, suspended, ...others }: Readonly<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const errors: InvalidField[] = Object.keys(others).map((field) => unknownField(field));
  if (!isOwner(owner))
    errors.push({ field: 'owner', code: 'invalid_value', message: 'must be 1 to 255 printable ASCII characters' });
  if (typeof suspended !== 'boolean')
    errors.push({ field: 'suspended', code: 'invalid_value', message: 'must be true or false' });
  return errors.length === 0 && isOwner(owner) && typeof suspended === 'boolean'
    ? ok({ owner, suspended })
    : err(invalidBody(errors));
}

function unknownField(field: string): InvalidField {
  return { field, code: 'unknown_field', message: 'is not a member' };
}

function invalidBody(errors: readonly InvalidField[]): Problem {
  return { code: 'validation_failed', detail: 'The body is invalid. See `errors`.', errors: errors.slice(0, 20) };
}

function readNewOperator(body: unknown): Result<{ readonly name: string; readonly role: OperatorRole }, Problem> {
  const members: Partial<Record<keyof Static<typeof NewOperator>, unknown>> =
    typeof body === 'object' && body !== null ? body : {};
  const role = OPERATOR_ROLES.find((each) => each === members.role);
  const { name } = members;
  const isName = typeof name === 'string' && name.trim() === name && isLine(name, NAME_LENGTH_MAX);
  const errors: InvalidField[] = [];
  if (!isName)
    errors.push({
      field: 'name',
      code: 'invalid_value',
      message: `must be 1 to ${NAME_LENGTH_MAX} characters on one line`,
    });
  if (!role)
    errors.push({ field: 'role', code: 'invalid_value', message: `must be one of ${OPERATOR_ROLES.join(', ')}` });
  for (const unknown of Object.keys(members).filter((each) => each !== 'name' && each !== 'role'))
    errors.push(unknownField(unknown));
  if (errors.length === 0 && isName && role) return ok({ name, role });
  return err(invalidBody(errors));
}
