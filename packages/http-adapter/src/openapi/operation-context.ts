import type { Authentication } from '../admission/authentication/authentication.ts';

/** What a route does not know of its operation. */
export interface OperationContext {
  readonly deprecated: boolean;
  readonly authentication: Pick<Authentication, 'securitySchemes' | 'scopeChallenge'>;
}
