import type { OwnerStepOptions } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';

/** The steps over all owners. */
export const OWNER_STEPS = ['purge', 'number_events', 'find_deliveries', 'count_deliveries'] as const;
export type OwnerStep = (typeof OWNER_STEPS)[number];

/** Receives the owners that steps pass over. */
export interface OwnerStepsObserver {
  /** A step has passed over an owner, or those of a node. A later run of the step returns to them. */
  readonly ownerPassedOver?: (step: OwnerStep) => void;
}

/** Returns the options of a step, which log and count each owner that it passes over. */
export function observedStep(
  step: OwnerStep,
  log: FastifyBaseLogger,
  observer: OwnerStepsObserver | undefined,
): OwnerStepOptions {
  return {
    onPassedOver: (owner, err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, owner, err }, 'an owner was passed over; a later run returns to it');
    },
    onNodeDown: (err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, err }, 'a node of Citus is down: its owners were passed over; a later run returns to them');
    },
  };
}
