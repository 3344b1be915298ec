import type { ChangeOptions } from '@orders/domain';
import type { ChangeEndpointError, UntypedWebhooks, WebhookEndpointWritten } from '@orders/domain/webhooks';
import type { FastifyRequest } from 'fastify';
import { err, type Result, ResultAsync } from 'neverthrow';
import { toProblem } from '../../problems/from-domain.ts';
import { SAFE_RETRY } from '../../problems/entry.ts';
import type { Problem } from '../../problems/problem.ts';
import type { PathId } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { requireScopes, type ScopeChallenge } from '../event-scopes.ts';
import { EVERY_SCOPE, type KnownTypes, mayWiden, scopesOfChange } from './webhook-scopes.ts';

/** A parsed request to change an endpoint. */
export interface EndpointChange {
  readonly id: PathId;
  readonly options: ChangeOptions;
  readonly body: unknown;
}

/** What decides about the scopes that a change needs. */
interface ScopeRules {
  readonly types: KnownTypes;
  readonly scopeChallenge: ScopeChallenge;
}

/** Maximum number of versions of an endpoint for which one request is checked, while other requests change it. */
const CHECKS_MAX = 5;

/**
 * Changes an endpoint, if the credentials have the scopes that the change needs. These depend on what the endpoint sends
 * now, so the change applies only to the version that was checked: a concurrent change cannot widen its effect.
 */
export function changeEndpoint(
  webhooks: UntypedWebhooks,
  rules: ScopeRules,
  request: FastifyRequest,
  change: EndpointChange,
): ResultAsync<WebhookEndpointWritten, Problem> {
  const { id, options, body } = change;
  // Usually nothing has to be read first.
  if (!mayWiden(body) || requireScopes(request, EVERY_SCOPE, undefined).isOk())
    return webhooks.changeEndpoint(ownerOf(request), id, body, options).mapErr(toProblem);
  return new ResultAsync(changeChecked(webhooks, rules, request, change));
}

async function changeChecked(
  webhooks: UntypedWebhooks,
  { types, scopeChallenge }: ScopeRules,
  request: FastifyRequest,
  { id, options, body }: EndpointChange,
): Promise<Result<WebhookEndpointWritten, Problem>> {
  const owner = ownerOf(request);
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const current = await webhooks.getEndpoint(owner, id);
    if (current.isErr()) return err(toProblem(current.error));
    const { version } = current.value;
    const checked = requireScopes(request, scopesOfChange(body, current.value, types), scopeChallenge);
    if (checked.isErr()) return err(checked.error);
    const written = await webhooks.changeEndpoint(owner, id, body, atVersion(version, options));
    if (written.isOk() || !wasChanged(written.error, version)) return written.mapErr(toProblem);
  }
  return err({ code: 'unavailable', detail: `Other requests change the endpoint at the same time. ${SAFE_RETRY}` });
}

/** Returns options that accept only one version, if the client accepts it. The idempotency key does not depend on them. */
function atVersion(version: number, options: ChangeOptions): ChangeOptions {
  const isAccepted = options.ifVersion?.includes(version) ?? true;
  return { ...options, ifVersion: isAccepted ? [version] : [] };
}

/** Whether a change failed because the endpoint has another version than the checked one. */
function wasChanged(error: ChangeEndpointError, checked: number): boolean {
  return error.type === 'precondition_failed' && error.current_version !== checked;
}
