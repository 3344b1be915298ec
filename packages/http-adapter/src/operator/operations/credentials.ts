import type { Owner, Timestamp as Time } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { type TProperties, type TSchema, Type } from 'typebox';
import { nullable, OptionalTimestamp, TEXT, Timestamp } from '../../api/schemas.ts';
import { type Scope, SCOPES } from '../../principal.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { NAME_LENGTH_MAX } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { readBoolean, readLine, type ReadMember, optionalOrNull } from './read-body.ts';
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

/** Which credentials a store lists. */
export interface CredentialQuery {
  readonly owner?: Owner | undefined;
  readonly limit?: number | undefined;
}

/** The most that are listed of all owners, or of one. */
const LISTED_MAX = 1000;

const CredentialName = nullable(Type.String({ ...TEXT, minLength: 1, maxLength: NAME_LENGTH_MAX }), {
  description: 'What lists call it, such as `web shop`; not a person',
});
const Scopes = Type.Array(Type.String({ enum: [...SCOPES] }), { minItems: 1, maxItems: SCOPES.length });

/** The members of every new credential. */
export const NEW_CREDENTIAL = { scopes: Scopes, name: Type.Optional(CredentialName) };

/** The members of every listed credential. A stored scope may be one of an earlier release. */
export const CREDENTIAL = {
  owner: OwnerName,
  scopes: Type.Array(Type.String({ ...TEXT, maxLength: 64 }), { maxItems: 100 }),
  name: CredentialName,
  created_at: Timestamp,
};

/** When a credential was used, and revoked. */
export const CREDENTIAL_USE = { last_used_at: OptionalTimestamp, revoked_at: OptionalTimestamp };

/** Returns the schema of a list of credentials. */
export function listOfCredentials(schema: TSchema, title: string): TSchema {
  const data = Type.Array(schema, { maxItems: LISTED_MAX });
  const has_more = Type.Boolean({ description: 'Whether there are more, which the list of an owner has' });
  return Type.Object({ data, has_more }, { title });
}

/** Returns which credentials a request lists: of the owner it names, or of all. One more than is returned. */
export function listedBy(request: FastifyRequest): CredentialQuery {
  return { owner: operatorOf(request).owner ?? undefined, limit: LISTED_MAX + 1 };
}

/** Returns the body of a list of credentials. */
export function listed<Row>(rows: readonly Row[]): { readonly data: readonly Row[]; readonly has_more: boolean } {
  return { data: rows.slice(0, LISTED_MAX), has_more: rows.length > LISTED_MAX };
}

/** Returns the schema of a change of the credential that `members` identify. */
export function credentialChange(members: TProperties, title: string): TSchema {
  const name = Type.Optional(Type.String({ ...TEXT, minLength: 1, maxLength: NAME_LENGTH_MAX }));
  const revoked = Type.Optional(Type.Boolean({ const: true }));
  const description = 'Either the new name, or that it is revoked';
  return Type.Object({ ...members, name, revoked }, { title, description, additionalProperties: false });
}

const readScopes: ReadMember<readonly Scope[]> = (input, name, invalid) =>
  isScopes(input)
    ? [...new Set(input)]
    : invalid.add(name, 'invalid_value', `must be a list of some of ${SCOPES.join(', ')}`);

/** What readers of a new credential read. */
export const readNewCredential = { scopes: readScopes, name: optionalOrNull(readLine(NAME_LENGTH_MAX)) };

function isScopes(input: unknown): input is readonly Scope[] {
  return Array.isArray(input) && input.length > 0 && input.every((each) => SCOPES.some((scope) => scope === each));
}

/** What readers of a change read. */
export const readCredentialChange = {
  name: optionalOrNull(readLine(NAME_LENGTH_MAX)),
  revoked: optionalOrNull(readBoolean),
};

/** Returns the new name of a credential, or null if it is revoked. */
export function changedName({ name, revoked }: Change): Result<string | null, Problem> {
  if ((name === null) === (revoked === true)) return ok(name);
  const message = 'must have either name, or revoked, which is true';
  return err(toProblem({ type: 'validation_failed', errors: [{ field: '', code: 'invalid_value', message }] }));
}

interface Change {
  readonly name: string | null;
  readonly revoked: boolean | null;
}
