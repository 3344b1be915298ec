import type { Domain } from '@orders/domain';
import type { FastifyInstance } from 'fastify';

/** A way to see what goes on in a server: metrics, traces. */
export interface Observation {
  /** The same use cases, watched. */
  readonly useCases: (domain: Domain) => Domain;
  /** Watches every request. To be called before there is anything that answers one. */
  readonly requests: (app: FastifyInstance) => void;
}
