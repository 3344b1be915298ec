import { ERASED_MEMBERS } from '@orders/domain';

/** What an erasure makes of a member, wherever it is in a response. The list of an erasure is the mask. */
const ERASED: Readonly<Record<string, unknown>> = {
  ...ERASED_MEMBERS,
  // Of customers, whose name is that of no other member in the same place, and of versions, events, fulfillments and comments.
  email: null,
  external_user_id: null,
  reason: null,
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
      if (name === 'url' || name === 'endpoint_url') return [name, hostOf(member)];
      return [name, Object.hasOwn(ERASED, name) && member !== undefined ? ERASED[name] : masked(member)];
    }),
  );
}

/** Returns the URL of the host of an endpoint: what is behind it may be a secret. */
function hostOf(url: unknown): unknown {
  return typeof url === 'string' ? new URL(url).origin : url;
}
