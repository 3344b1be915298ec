import type { OrderDefinition } from '@orders/domain';
import { type EventType, type FeedResourceType, resourceTypeOf } from '@orders/domain/events';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import type { Scope } from '../principal.ts';
import { insufficientScope, type Problem } from '../problems/problem.ts';
import { principalOf } from '../request-state.ts';

/** Returns the `WWW-Authenticate` of a 403 for a missing scope; `undefined` if the authentication has none. */
export type ScopeChallenge = ((scope: Scope) => string) | undefined;

/** The scope that reads the resource of an event, by its kind. */
const READ_SCOPES: Readonly<Record<FeedResourceType, Scope>> = {
  order: 'orders:read',
  customer: 'customers:read',
  webhook_endpoint: 'webhooks:read',
};

/** Returns the scopes that read the resources of events of these types; `null` for every type. */
export function readScopesOf(types: readonly EventType<OrderDefinition>[] | null): readonly Scope[] {
  if (types === null) return Object.values(READ_SCOPES);
  return [...new Set(types.map((type) => READ_SCOPES[resourceTypeOf(type)]))];
}

/** Rejects a request unless its credentials have all `scopes`. The problem has the first one that they lack. */
export function requireScopes(
  request: FastifyRequest,
  scopes: readonly Scope[],
  scopeChallenge: ScopeChallenge,
): Result<null, Problem> {
  const held = principalOf(request)?.scopes ?? [];
  const lacking = scopes.find((scope) => !held.includes(scope));
  return lacking === undefined ? ok(null) : err(insufficientScope(lacking, scopeChallenge));
}
