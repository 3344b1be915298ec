import type { Domain, OrderDefinition } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import type { FastifyInstance } from 'fastify';

/** One kind of instrumentation of a server: metrics or traces. */
export interface Instrumentation {
  /** Returns the same use cases, instrumented. */
  readonly useCases: (domain: Domain<OrderDefinition>) => Domain<OrderDefinition>;
  /** Returns the same feed of events, with instrumented reads. */
  readonly feed: (feed: EventFeed<OrderDefinition>) => EventFeed<OrderDefinition>;
  /** Instruments every request. Call this before any route or hook is registered. */
  readonly requests: (app: FastifyInstance) => void;
}
