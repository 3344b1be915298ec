import type { Owner, Timestamp } from '@orders/domain';

/** How far apart two recorded uses of a credential are at least, in milliseconds. */
const BETWEEN_USES_MS = 60_000;

/** A credential as it is listed. */
export interface ListedCredential {
  readonly created_at: Timestamp;
  readonly revoked_at: Timestamp | null;
  /** What an administrator calls it, 1 to 100 characters; `null` if it has no name. */
  readonly name: string | null;
  /** When it was last used, to the minute; `null` if no use was recorded. */
  readonly last_used_at: Timestamp | null;
}

/** Which credentials to list. */
export interface CredentialQuery {
  /** Default: those of all owners. */
  readonly owner?: Owner | undefined;
  /** The maximum number. Default: all. */
  readonly limit?: number | undefined;
}

/** Returns the options with which credentials are listed, the oldest first. */
export function listing({ owner, limit }: CredentialQuery) {
  return { where: owner === undefined ? {} : { owner_id: owner }, ...(limit !== undefined && { limit }) };
}

/** Returns the condition that no use of a credential was recorded within the last minute before `at`. */
export function isUnrecorded(at: Timestamp) {
  const before = new Date(Date.parse(at) - BETWEEN_USES_MS).toISOString();
  return { $or: [{ last_used_at: null }, { last_used_at: { $lte: before } }] };
}
