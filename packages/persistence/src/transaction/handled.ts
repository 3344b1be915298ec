import { handled as ofDomain } from '@orders/domain/runtime';

/**
 * Accepts the failure of a use case in `database.transaction`, which may then commit without it. Returns the same result. It
 * takes what the use case has returned, before its error is mapped to another.
 */
export const handled: typeof ofDomain = ofDomain;
