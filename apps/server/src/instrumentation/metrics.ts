import { type ConnectionObserver, type OrdersHttpObserver, RATE_LIMIT_POLICIES } from '@orders/http-adapter';
import type { OrdersDatabase } from '@orders/persistence';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PurgeObserver } from '../background/background-purge.ts';
import type { DueDeliveriesObserver } from '../background/due-deliveries.ts';
import type { NumberingObserver } from '../background/in-background.ts';
import { OWNER_STEPS, type OwnerStepsObserver } from '../background/owner-steps.ts';
import type { WebhookObserver } from '../webhooks.ts';
import type { Instrumentation } from './instrumentation.ts';
import { instrumentedDomain, instrumentedFeed, type UseCaseObserver } from './instrumented-domain.ts';
import { DURATION_BUCKETS, measureRequests } from './request-metrics.ts';
import { measureWebhooks } from './webhook-metrics.ts';

/** The metrics of one server. None contains a value from a client. */
export interface Metrics extends Instrumentation {
  readonly registry: Registry;
  readonly http: OrdersHttpObserver & ConnectionObserver;
  readonly purge: PurgeObserver;
  readonly numbering: NumberingObserver;
  readonly webhooks: WebhookObserver & DueDeliveriesObserver;
}

export function createMetrics(database: OrdersDatabase): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  measurePool(registry, database);
  countReplicaFallbacks(registry, database);
  const useCases = new Histogram({
    name: 'orders_use_case_duration_seconds',
    help: 'Duration of use cases, by outcome',
    labelNames: ['use_case', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const limited = new Counter({
    name: 'orders_rate_limited_total',
    help: 'Requests rejected because their owner or address exceeded a rate limit',
    labelNames: ['policy'],
    registers,
  });
  const passedOver = new Counter({
    name: 'orders_rate_limit_store_passed_over_total',
    help: 'Requests counted in memory because the rate limit store did not respond',
    registers,
  });
  const shed = new Counter({
    name: 'orders_load_shed_total',
    help: 'Requests rejected because the server was overloaded',
    registers,
  });
  const unread = new Counter({
    name: 'orders_unread_limited_total',
    help: 'Requests rejected because their owner has too many unread response bytes',
    registers,
  });
  const cut = new Counter({
    name: 'orders_connections_cut_total',
    help: 'Connections destroyed because their clients did not read the responses',
    registers,
  });
  const discarded = new Counter({
    name: 'orders_requests_discarded_total',
    help: 'Requests discarded because they arrived after the end of their connection',
    registers,
  });
  const waiters = new Gauge({
    name: 'orders_event_waiters',
    help: 'Requests that wait for events',
    registers,
  });
  let waiting = 0;
  const purged = new Counter({
    name: 'orders_purged_rows_total',
    help: 'Rows deleted, and snapshots erased, because of their age',
    labelNames: ['kind'],
    registers,
  });
  const clockDifference = new Gauge({
    name: 'orders_clock_difference_seconds',
    help: 'Smallest possible difference between the clocks of server and database, measured before each purge',
    registers,
  });
  const ownerSteps = countPassedOver(registry);
  // Without an initial zero the first increment would be missing from a rate.
  for (const policy of RATE_LIMIT_POLICIES) limited.inc({ policy }, 0);
  for (const kind of ['idempotency_keys', 'deliveries', 'changes', 'snapshots']) purged.inc({ kind }, 0);
  const observer: UseCaseObserver<number> = {
    begin: () => performance.now(),
    end: (use_case, begun, outcome) => useCases.observe({ use_case, outcome }, (performance.now() - begun) / 1000),
  };
  return {
    registry,
    useCases: (domain) => instrumentedDomain(domain, observer),
    feed: (feed) => instrumentedFeed(feed, observer),
    requests: (app) => measureRequests(app, registry, () => waiting),
    http: {
      rateLimited: (policy) => limited.inc({ policy }),
      rateLimitStorePassedOver: () => passedOver.inc(),
      loadShed: () => shed.inc(),
      unreadLimited: () => unread.inc(),
      connectionCut: () => cut.inc(),
      requestsDiscarded: (count) => discarded.inc(count),
      eventWaiters: (count) => {
        waiting = count;
        waiters.set(count);
      },
    },
    purge: {
      ...ownerSteps,
      purged: ({ keys, deliveries, changes, snapshots }) => {
        purged.inc({ kind: 'idempotency_keys' }, keys);
        purged.inc({ kind: 'deliveries' }, deliveries);
        purged.inc({ kind: 'changes' }, changes);
        purged.inc({ kind: 'snapshots' }, snapshots);
      },
      clockDifference: (ms) => clockDifference.set(ms / 1000),
    },
    numbering: { ...ownerSteps, ...measureNumbering(registry) },
    webhooks: { ...ownerSteps, ...measureWebhooks(registry) },
  };
}

function measureNumbering(registry: Registry): NumberingObserver {
  const registers = [registry];
  const unnumbered = new Gauge({
    name: 'orders_events_unnumbered',
    help: 'Events without a position before each numbering in the background, at most 5,000 of an owner',
    registers,
  });
  const oldest = new Gauge({
    name: 'orders_events_unnumbered_oldest_age_seconds',
    help: 'Age of the oldest event without a position before each numbering in the background, 0 without any',
    registers,
  });
  return {
    unnumbered: (count, oldestAgeMs) => {
      unnumbered.set(count);
      oldest.set(oldestAgeMs / 1000);
    },
  };
}

function countPassedOver(registry: Registry): OwnerStepsObserver {
  const passedOver = new Counter({
    name: 'orders_owners_passed_over_total',
    help: 'Owners that a step over all owners passed over because of a lock or a failure; a later run returns to them',
    labelNames: ['step'],
    registers: [registry],
  });
  for (const step of OWNER_STEPS) passedOver.inc({ step }, 0);
  return { ownerPassedOver: (step) => passedOver.inc({ step }) };
}

function measurePool(registry: Registry, { primary }: OrdersDatabase): void {
  const { pool } = primary;
  const connections = new Gauge({
    name: 'orders_pool_connections',
    help: 'Connections to the database in use and idle, requests that wait for one, and the maximum',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      connections.set({ state: 'active' }, pool.totalCount - pool.idleCount);
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'waiting' }, primary.waiting);
      connections.set({ state: 'max' }, pool.options.max);
    },
  });
}

function countReplicaFallbacks(registry: Registry, database: OrdersDatabase): void {
  const fallbacks = new Counter({
    name: 'orders_replica_fallbacks_total',
    help: 'Lists read from the primary because no replica was current or its read failed',
    registers: [registry],
    collect: () => {
      fallbacks.reset();
      fallbacks.inc(database.replicaFallbacks());
    },
  });
}
