import { type ConnectionObserver, type OrdersHttpObserver, RATE_LIMIT_POLICIES } from '@orders/http-adapter';
import type { OrdersDatabase } from '@orders/persistence';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { ServerReadiness } from '../database/readiness.ts';
import { type JobObserver, OWNER_STEPS } from '../jobs/job.ts';
import { readManifest } from '../require-node.ts';
import type { Instrumentation } from './instrumentation.ts';
import { instrumentedDomain, instrumentedFeed, type UseCaseObserver } from './instrumented-domain.ts';
import { metersOf } from './meters.ts';
import { measureOrders } from './order-metrics.ts';
import { DURATION_BUCKETS, measureRequests } from './request-metrics.ts';
import { measureWebhooks } from './webhook-metrics.ts';

/** The metrics of one server. None contains a value from a client. */
export interface Metrics extends Instrumentation {
  readonly registry: Registry;
  readonly http: OrdersHttpObserver & ConnectionObserver;
  readonly jobs: JobObserver;
  /** Receives the smallest possible difference of the clocks of server and database, in milliseconds. */
  readonly clockDifference: (ms: number) => void;
}

export function createMetrics(database: OrdersDatabase, checkReadiness?: ServerReadiness['check']): Metrics {
  const registry = new Registry();
  const { counter, gauge, histogram } = metersOf(registry);
  collectDefaultMetrics({ register: registry });
  const build = gauge('orders_build_info', '1, with the releases of this process and its Node.js', 'version', 'node');
  build.set({ version: readManifest().version, node: process.version }, 1);
  measurePool(registry, database);
  if (checkReadiness) measureReadiness(registry, checkReadiness);
  countFailures(registry, database);
  countReplicaFallbacks(registry, database);
  const useCases = histogram(
    'orders_use_case_duration_seconds',
    'Duration of use cases, by outcome',
    DURATION_BUCKETS,
    'use_case',
    'outcome',
  );
  const countOrders = measureOrders(registry);
  const observer: UseCaseObserver<number> = {
    begin: () => performance.now(),
    end: (use_case, begun, outcome) => useCases.observe({ use_case, outcome }, (performance.now() - begun) / 1000),
  };
  const { eventWaiters, ...http } = measureHttp(registry);
  let waiting = 0;
  const passedOver = counter(
    'orders_owners_passed_over_total',
    'Owners that a step over all owners passed over because of a lock or a failure; a later run returns to them',
    'step',
  );
  const purged = counter(
    'orders_purged_rows_total',
    'Rows deleted, and snapshots erased, because of their age',
    'kind',
  );
  const clockDifference = gauge(
    'orders_clock_difference_seconds',
    'Smallest possible difference between the clocks of server and database',
  );
  const unnumbered = gauge(
    'orders_events_unnumbered',
    'Events without a position before each numbering in the background, at most 5,000 of an owner',
  );
  const oldestUnnumbered = gauge(
    'orders_events_unnumbered_oldest_age_seconds',
    'Age of the oldest event without a position before each numbering in the background, 0 without any',
  );
  // Without an initial zero the first increment would be missing from a rate.
  for (const step of OWNER_STEPS) passedOver.inc({ step }, 0);
  for (const kind of ['idempotency_keys', 'deliveries', 'changes', 'snapshots', 'erasures']) purged.inc({ kind }, 0);
  return {
    registry,
    useCases: (domain) =>
      instrumentedDomain(domain, {
        begin: observer.begin,
        end: (useCase, begun, outcome, value) => {
          observer.end(useCase, begun, outcome);
          countOrders(domain.definition, value);
        },
      }),
    feed: (feed) => instrumentedFeed(feed, observer),
    requests: (app) => measureRequests(app, registry, () => waiting),
    http: {
      ...http,
      eventWaiters: (count) => {
        waiting = count;
        eventWaiters(count);
      },
    },
    jobs: {
      ...measureWebhooks(registry),
      ownerPassedOver: (step) => passedOver.inc({ step }),
      purged: ({ keys, ...rows }) => {
        for (const [kind, count] of Object.entries({ idempotency_keys: keys, ...rows })) purged.inc({ kind }, count);
      },
      unnumbered: (count, oldestAgeMs) => {
        unnumbered.set(count);
        oldestUnnumbered.set(oldestAgeMs / 1000);
      },
    },
    clockDifference: (ms) => clockDifference.set(ms / 1000),
  };
}

/** Measures what the HTTP adapter reports. */
function measureHttp(registry: Registry): Required<Metrics['http']> {
  const { counter, gauge } = metersOf(registry);
  const limited = counter(
    'orders_rate_limited_total',
    'Requests rejected because their owner or address exceeded a rate limit',
    'policy',
  );
  for (const policy of RATE_LIMIT_POLICIES) limited.inc({ policy }, 0);
  const passedOver = counter(
    'orders_rate_limit_store_passed_over_total',
    'Requests counted in memory because the rate limit store did not respond',
  );
  const shed = counter('orders_load_shed_total', 'Requests rejected because the server was overloaded');
  const unread = counter(
    'orders_unread_limited_total',
    'Requests rejected because their owner has too many unread response bytes',
  );
  const cut = counter(
    'orders_connections_cut_total',
    'Connections destroyed because their clients did not read the responses',
  );
  const discarded = counter(
    'orders_requests_discarded_total',
    'Requests discarded because they arrived after the end of their connection',
  );
  const busiest = counter(
    'orders_busiest_owner_loop_seconds_total',
    'Time of the event loop used by the owner, or address without one, that used most in each period of some five seconds',
  );
  const waiters = gauge('orders_event_waiters', 'Requests that wait for events');
  return {
    rateLimited: (policy) => limited.inc({ policy }),
    rateLimitStorePassedOver: () => passedOver.inc(),
    loadShed: () => shed.inc(),
    unreadLimited: () => unread.inc(),
    busiestOwner: (ms) => busiest.inc(ms / 1000),
    connectionCut: () => cut.inc(),
    requestsDiscarded: (count) => discarded.inc(count),
    eventWaiters: (count) => waiters.set(count),
  };
}

/** Each scrape checks, so that a change is noticed without a balancer. */
function measureReadiness(registry: Registry, check: ServerReadiness['check']): void {
  const ready = new Gauge({
    name: 'orders_ready',
    help: '1 while the server should be sent requests, with an empty reason; otherwise 0, with the reason',
    labelNames: ['reason'],
    registers: [registry],
    collect: async () => {
      const found = await check();
      ready.reset();
      ready.set({ reason: found?.reason ?? '' }, found === null ? 1 : 0);
    },
  });
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

function countFailures(registry: Registry, { primary }: OrdersDatabase): void {
  const failures = new Counter({
    name: 'orders_database_failures_total',
    help: 'Statements and connections that failed because of the database; some of them are repeated',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      failures.reset();
      for (const [reason, count] of primary.failures) failures.inc({ reason }, count);
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
