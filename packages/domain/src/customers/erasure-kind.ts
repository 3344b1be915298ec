import type { AggregateKind } from '../aggregates/aggregate-kind.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** The event of an erasure by email. It is recorded for retries alone. */
export type ErasureEvent = DomainEvent<'erasure.requested'>;

const PUBLISHED: readonly string[] = [];

/** The kind of erasures by email, of which no event enters the feed. */
export const erasureKind: Required<AggregateKind<'erasure', never>> = deepFreeze({
  name: 'erasure',
  events: ['erasure.requested'],
  isPublished: (type: string): type is never => PUBLISHED.includes(type),
});
