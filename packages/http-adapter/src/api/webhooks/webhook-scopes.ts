import type { OrderDefinition } from '@orders/domain';
import type { EventType } from '@orders/domain/events';
import type { AnyEndpoint } from '@orders/domain/webhooks';
import { isRecord } from '../../request/request-parameters.ts';
import type { Scope } from '../../principal.ts';
import { readScopesOf } from '../event-scopes.ts';

/** The types of all events. */
export type KnownTypes = readonly EventType<OrderDefinition>[];

/** The members of an endpoint that decide which data it receives, and where. */
type Reach = Pick<AnyEndpoint, 'url' | 'types' | 'include' | 'status'>;

/**
 * Returns the scopes that the creation of an endpoint needs besides `webhooks:write`: to read events, and the resources
 * that they include. The body is not validated yet. A value that is invalid counts as every type, and is rejected later.
 */
export function scopesOfCreation(body: unknown, known: KnownTypes): readonly Scope[] {
  return scopesOf(reachOf(body, NOTHING, known));
}

/**
 * Returns the scopes that a change of `current` needs besides `webhooks:write`: those of creating the result, if the
 * change widens what the endpoint sends. Another URL, an enabled endpoint, further types and further included data
 * widen it. A change that only narrows it needs none, so that credentials without `events:read` can stop an endpoint.
 */
export function scopesOfChange(patch: unknown, current: Reach, known: KnownTypes): readonly Scope[] {
  const changed = reachOf(patch, current, known);
  return widens(changed, current, known) ? scopesOf(changed) : [];
}

/** Whether a patch could widen an endpoint, whatever its state. */
export function mayWiden(patch: unknown): boolean {
  return isRecord(patch) && ['url', 'types', 'include', 'status'].some((name) => patch[name] !== undefined);
}

/** All scopes that a creation or change can need besides `webhooks:write`. */
export const EVERY_SCOPE: readonly Scope[] = ['events:read', ...readScopesOf(null)];

const NOTHING: Reach = { url: '', types: null, include: [], status: 'enabled' };

function scopesOf({ include, types }: Reach): readonly Scope[] {
  return ['events:read', ...(include.includes('resource') ? readScopesOf(types) : [])];
}

function widens(changed: Reach, current: Reach, known: KnownTypes): boolean {
  const adds = <T>(all: readonly T[], before: readonly T[]) => all.some((each) => !before.includes(each));
  return (
    changed.url !== current.url ||
    (changed.status === 'enabled' && current.status === 'disabled') ||
    // Every type is more than all known ones: it has those of later versions, too.
    (changed.types === null ? current.types !== null : adds(changed.types, current.types ?? known)) ||
    adds(changed.include, current.include)
  );
}

/** Returns `current` with the members of a body that is not validated yet. */
function reachOf(body: unknown, current: Reach, known: KnownTypes): Reach {
  if (!isRecord(body)) return current;
  const { url = current.url, types = current.types, include = current.include, status = current.status } = body;
  return {
    url: typeof url === 'string' ? url : '',
    types: isTypes(types, known) ? types : null,
    include: isList(include) && !include.includes('resource') ? [] : include === null ? [] : ['resource'],
    status: status === 'disabled' ? 'disabled' : 'enabled',
  };
}

function isTypes(value: unknown, known: KnownTypes): value is KnownTypes {
  return isList(value) && value.every((each) => known.some((type) => type === each));
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
