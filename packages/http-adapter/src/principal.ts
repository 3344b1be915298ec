import type { Owner } from '@orders/domain';

/** What credentials may be good for. */
export const SCOPES = Object.freeze(['orders:read', 'orders:write', 'customers:read', 'customers:write'] as const);
/** A part of the API that credentials can be good for. */
export type Scope = (typeof SCOPES)[number];

/** Who asks, and for what they may ask. Owners are the same when their names are, however they said who they are. */
export interface Principal {
  readonly owner: Owner;
  /** Those of {@link SCOPES} are meant; others do no harm. */
  readonly scopes: readonly string[];
}
