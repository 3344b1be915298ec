import { ERASED_MEMBERS } from '@orders/domain';

/**
 * The personal members of responses, and what an erasure makes of each, wherever it is. A test has the others: a new member
 * of a response is in one of both lists.
 */
export const PERSONAL_MEMBERS: Readonly<Record<string, unknown>> = {
  ...ERASED_MEMBERS,
  // Of customers, whose name is that of no other member in the same place, and of versions, events, fulfillments and comments.
  email: null,
  external_user_id: null,
  reason: null,
  operator_reason: null,
  tracking: null,
  text: null,
};

/** Returns what a response has without personal data, as an erasure would leave it. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => masked(element));
  if (typeof value !== 'object' || value === null) return value;
  const isPerson = 'email' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (isPerson && name === 'name') return [name, null];
      // Its members have the names that clients gave to systems, such as `note`.
      if (name === 'external_ids') return [name, member];
      if (name === 'url' || name === 'endpoint_url') return [name, hostOf(member)];
      const isPersonal = Object.hasOwn(PERSONAL_MEMBERS, name) && member !== undefined;
      return [name, isPersonal ? PERSONAL_MEMBERS[name] : masked(member)];
    }),
  );
}

/** Returns the URL of the host of an endpoint: what is behind it may be a secret. */
function hostOf(url: unknown): unknown {
  return typeof url === 'string' ? new URL(url).origin : url;
}
