import type { OrderDefinition } from '@orders/domain';
import type { Authentication } from '../admission/authentication/authentication.ts';
import type { Components } from './components.ts';

/** What the description of an operation depends on besides its route. */
export interface OperationContext {
  readonly deprecated: boolean;
  readonly authentication: Pick<Authentication, 'securitySchemes' | 'scopeChallenge'>;
  readonly components: Components;
  readonly definition: OrderDefinition;
}
