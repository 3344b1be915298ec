import type { Owner, Timestamp } from '@orders/domain';
import type { OwnerPolicy } from '../observer.ts';

/** Requests of an owner per minute, and orders in batches; 0 for no limit, `null` for the limit of all owners. */
export type OwnerRateLimits = Readonly<Record<OwnerPolicy, number | null>>;

/** What those who operate the server have set for an owner. */
export interface OwnerSettings {
  /** Since when its requests are refused with 403 `owner_suspended`. Default and `null`: they are not. */
  readonly suspended_at?: Timestamp | null;
  /** Default and `null`: those of all owners. */
  readonly rate_limits?: Partial<OwnerRateLimits> | null;
}

/** The owners for whom something is set, such as a `Map`, which the host may change. */
export type SettingsOfOwners = Pick<ReadonlyMap<Owner, OwnerSettings>, 'get'>;
