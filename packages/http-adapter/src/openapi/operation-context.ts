import type { Authentication } from '../admission/authentication/authentication.ts';
import type { Components } from './components.ts';

/** What a route does not know of its operation. */
export interface OperationContext {
  readonly deprecated: boolean;
  readonly authentication: Pick<Authentication, 'securitySchemes' | 'scopeChallenge'>;
  readonly components: Components;
}
