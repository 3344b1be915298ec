import type { Owner } from '@orders/domain';

/** The scopes that credentials can have. */
export const SCOPES = Object.freeze([
  'orders:read',
  'orders:write',
  'orders:import',
  'customers:read',
  'customers:write',
  'customers:erase',
  'events:read',
  'webhooks:read',
  'webhooks:write',
] as const);
/** The name of a scope that an operation requires. */
export type Scope = (typeof SCOPES)[number];

/** The authenticated client of a request. Equal owner strings mean the same owner, whatever the credentials. */
export interface Principal {
  /** The owner of the resources that the client can use. */
  readonly owner: Owner;
  /** Granted scopes. Values that are not in {@link SCOPES} are ignored. */
  readonly scopes: readonly string[];
  /**
   * The credential that the client uses, such as `api_key:ord_4fT9`: 1 to 255 printable ASCII characters. It is recorded
   * with every change, so it must not identify a person. Default: unknown.
   */
  readonly actor?: string | undefined;
}
