import { ATTEMPT_ERRORS } from '@orders/domain/webhooks';
import type { DueDeliveries } from '@orders/persistence';
import type { Registry } from 'prom-client';
import type { JobObserver } from '../jobs/job.ts';
import { metersOf } from './meters.ts';

/** Upper bounds of the time from an event to its acceptance, in seconds: up to the three days of all attempts. */
const LAG_BUCKETS = [0.05, 0.1, 0.3, 1, 5, 30, 300, 1800, 7200, 43_200, 86_400, 259_200];

/** Upper bounds of the duration of an attempt, in seconds: up to its limit. */
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.3, 1, 3, 5, 10, 15];

/** Why the worker disables endpoints. */
const DISABLED_BY_WORKER = ['gone', 'deliveries_failed'];

const NOTHING_DUE: DueDeliveries = {
  worker: { count: 0, oldestAgeMs: 0 },
  endpoint: { count: 0, oldestAgeMs: 0 },
};

/** Measures the deliveries of a worker, and those of all owners that are due. */
export function measureWebhooks(registry: Registry): JobObserver {
  const { counter, gauge, histogram } = metersOf(registry);
  const attempts = counter(
    'orders_webhook_attempts_total',
    'Attempts to deliver an event to a webhook endpoint, by result',
    'result',
  );
  const durations = histogram(
    'orders_webhook_attempt_duration_seconds',
    'Duration of attempts to deliver an event',
    DURATION_BUCKETS,
  );
  const lag = histogram(
    'orders_webhook_lag_seconds',
    'Time from an event to its acceptance by an endpoint',
    LAG_BUCKETS,
  );
  const failed = counter('orders_webhook_deliveries_failed_total', 'Deliveries whose last attempt failed');
  const disabled = counter(
    'orders_webhook_endpoints_disabled_total',
    'Webhook endpoints that the worker disabled, by reason',
    'reason',
  );
  const leasesLost = counter(
    'orders_webhook_leases_lost_total',
    'Attempts whose result was not recorded, because another worker had claimed the delivery',
  );
  const storeFailures = counter(
    'orders_webhook_store_failures_total',
    'Statements of the webhook worker that failed; each is sent again',
  );
  const unreadable = counter(
    'orders_webhook_events_unreadable_total',
    'Deliveries that were postponed for a minute, because only a later release can read their events',
  );
  const ownersDue = gauge('orders_webhook_owners_due', 'Owners with due deliveries in the last search for them');
  const quiet = gauge(
    'orders_webhook_quiet',
    '1 while nothing is sent because the database is a copy, or was made quiet; 0 while it sends',
  );
  const due = gauge(
    'orders_webhook_deliveries_due',
    'Due deliveries of all owners, by what they wait for; at least as many, at most 2,000 of an endpoint are counted',
    'waits_for',
  );
  const oldestDue = gauge(
    'orders_webhook_deliveries_due_oldest_age_seconds',
    'Time for which the oldest of these deliveries has been due, 0 without any',
    'waits_for',
  );
  // Without an initial zero the first increment would be missing from a rate.
  for (const result of ['accepted', ...ATTEMPT_ERRORS]) attempts.inc({ result }, 0);
  for (const reason of DISABLED_BY_WORKER) disabled.inc({ reason }, 0);
  const deliveriesDue = (waiting: DueDeliveries) => {
    for (const waits_for of ['worker', 'endpoint'] as const) {
      due.set({ waits_for }, waiting[waits_for].count);
      oldestDue.set({ waits_for }, waiting[waits_for].oldestAgeMs / 1000);
    }
  };
  deliveriesDue(NOTHING_DUE);
  return {
    attempted: ({ error, durationMs, lagMs, isLast }) => {
      attempts.inc({ result: error ?? 'accepted' });
      durations.observe(durationMs / 1000);
      if (error === null) lag.observe(lagMs / 1000);
      else if (isLast) failed.inc();
    },
    disabled: (reason) => disabled.inc({ reason }),
    leaseLost: () => leasesLost.inc(),
    storeFailed: () => storeFailures.inc(),
    eventUnreadable: () => unreadable.inc(),
    ownersDue: (count) => ownersDue.set(count),
    quiet: (isQuiet) => quiet.set(isQuiet ? 1 : 0),
    deliveriesDue,
  };
}
