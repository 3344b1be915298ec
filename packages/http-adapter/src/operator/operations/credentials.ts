import type { Owner, Page, Position, Timestamp as Time, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type TProperties, type TSchema, Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import { nullable, OptionalTimestamp, pageOf, TEXT, Timestamp } from '../../api/schemas.ts';
import { type Scope, SCOPES } from '../../principal.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { readAction } from '../../request/request-parameters.ts';
import { type Auditing, NAME_LENGTH_MAX, type OperatorOperation } from '../operator.ts';
import { byOperator, operatorOf } from '../operator-principals.ts';
import { ADMINISTRATION, doneOrNotFound, JSON_BODY, OF_NO_OWNER } from './operation-kinds.ts';
import { readBody, readBoolean, readLine, type ReadMember, optionalOrNull } from './read-body.ts';
import { CREATED_QUERY, readCreatedPage } from './read-created-page.ts';
import { OwnerName } from './schemas.ts';

/** A stored credential, as listed. */
export interface Credential {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  readonly name: string | null;
  readonly created_at: Time;
  readonly revoked_at: Time | null;
  readonly last_used_at: Time | null;
}

/** Which credentials a store lists, the oldest first. */
interface CredentialQuery {
  readonly owner?: Owner | undefined;
  readonly after?: Position<Time> | null | undefined;
  readonly limit: number;
}

/** What is done to all credentials alike. `id` identifies one. */
export interface CredentialStore<Listed extends Credential> {
  list(query: CredentialQuery): ResultAsync<Page<Listed, Time>, Unavailable>;
  rename(id: string, name: string, by: Auditing): ResultAsync<boolean, Unavailable>;
  revoke(id: string, at: Time, by: Auditing): ResultAsync<boolean, Unavailable>;
}

const NAME = nullable(Type.String({ ...TEXT, minLength: 1, maxLength: NAME_LENGTH_MAX }), {
  description: 'What lists call it, such as `web shop`; not a person',
});
/** The members of every new credential. */
export const NEW_CREDENTIAL = {
  scopes: Type.Array(Type.String({ enum: [...SCOPES] }), { minItems: 1, maxItems: SCOPES.length }),
  name: Type.Optional(NAME),
};

/** The members of every listed credential. A stored scope may be one of an earlier release. */
export const CREDENTIAL = {
  owner: OwnerName,
  scopes: Type.Array(Type.String({ ...TEXT, maxLength: 64 }), { maxItems: 100 }),
  name: NAME,
  created_at: Timestamp,
};

/** What readers of a new credential read. */
export const readNewCredential = {
  scopes: ((input, name, invalid) =>
    isScopes(input)
      ? [...new Set(input)]
      : invalid.add(name, 'invalid_value', `must be a list of some of ${SCOPES.join(', ')}`)) satisfies ReadMember<
    readonly Scope[]
  >,
  name: optionalOrNull(readLine(NAME_LENGTH_MAX)),
};

function isScopes(input: unknown): input is readonly Scope[] {
  return Array.isArray(input) && input.length > 0 && input.every((each) => SCOPES.some((scope) => scope === each));
}

/** A kind of credentials. */
interface CredentialKind {
  /** Of one in ids of operations and in paths, such as `api_key`; in words; and in titles of schemas. */
  readonly name: string;
  readonly words: string;
  readonly title: string;
  /** The member that identifies one, how it is read, and an example. */
  readonly id: string;
  readonly schema: TSchema;
  readonly read: ReadMember<string>;
  readonly example: string;
  /** The members of a listed one that only this kind has. Default: none. */
  readonly own?: TProperties;
  readonly store: CredentialStore<Credential>;
  readonly now: () => Date;
  /** The operation that creates one for an owner. */
  readonly create: Pick<OperatorOperation, 'id' | 'summary' | 'description' | 'response'> &
    Pick<Extract<OperatorOperation, { handle: unknown }>, 'handle'> & {
      readonly body: { readonly schema: TSchema; readonly examples: Readonly<Record<string, unknown>> };
    };
}

/** Returns the operations on the credentials of a kind, of all owners. */
export function credentialOperations(kind: CredentialKind): readonly OperatorOperation[] {
  const { name, words, title, id, schema, read, example, own = {}, store, now, create } = kind;
  const use = { last_used_at: OptionalTimestamp, revoked_at: OptionalTimestamp };
  const Listed = Type.Object({ [id]: schema, ...CREDENTIAL, ...own, ...use }, { title: `${title}OfOwner` });
  const renamed = Type.Optional(Type.String({ ...TEXT, minLength: 1, maxLength: NAME_LENGTH_MAX }));
  const Change = Type.Object(
    { [id]: schema, name: renamed, revoked: Type.Optional(Type.Boolean({ const: true })) },
    {
      title: `${title}Change`,
      description: 'Either the new name, or that it is revoked',
      additionalProperties: false,
    },
  );
  return [
    {
      id: `list_${name}s`,
      summary: `List ${words}s`,
      description: 'Of the owner in `Orders-Owner`, or of all, the oldest first, also revoked ones.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: `/admin/v1/${name}s`,
      role: 'admin',
      query: CREATED_QUERY,
      response: { schema: pageOf(`${title}sOfOwners`, Listed) },
      handle: (request) => {
        const { owner } = operatorOf(request);
        return readCreatedPage(request, `${name}s`, [owner]).asyncAndThen(({ query, present }) =>
          store
            .list({ owner: owner ?? undefined, ...query })
            .mapErr(toProblem)
            .andThen(present),
        );
      },
    },
    {
      ...create,
      method: 'POST',
      ...ADMINISTRATION,
      about: 'owner',
      path: `/admin/v1/${name}s`,
      body: { ...JSON_BODY, ...create.body },
    },
    {
      id: `change_${name}`,
      summary: `Rename or revoke ${words.startsWith('API') ? 'an' : 'a'} ${words}`,
      description: 'A server that has cached a revoked one accepts it for 30 more seconds at most.',
      method: 'POST',
      ...ADMINISTRATION,
      path: `/admin/v1/${name}_changes`,
      body: { ...JSON_BODY, schema: Change, examples: { revoke: { [id]: example, revoked: true } } },
      status: 204,
      problems: ['not_found'],
      handle: (request) =>
        readAction(request)
          .andThen(() => readBody(request, { [id]: read, ...readChange }))
          .andThen((sent) => changedName(sent).map((to) => ({ each: String(Reflect.get(sent, id)), to })))
          .asyncAndThen(({ each, to }) => {
            const by = byOperator(request);
            return doneOrNotFound(
              to === null ? store.revoke(each, now().toISOString(), by) : store.rename(each, to, by),
            );
          }),
    },
  ];
}

const readChange = {
  name: optionalOrNull(readLine(NAME_LENGTH_MAX)),
  revoked: optionalOrNull(readBoolean),
};

/** Returns the new name of a credential, or null if it is revoked. */
function changedName({ name, revoked }: Change): Result<string | null, Problem> {
  if ((name === null) === (revoked === true)) return ok(name);
  const message = 'must have either name, or revoked, which is true';
  return err(toProblem({ type: 'validation_failed', errors: [{ field: '', code: 'invalid_value', message }] }));
}

interface Change {
  readonly name: string | null;
  readonly revoked: boolean | null;
}
