import { ATTEMPT_ERRORS } from '@orders/domain/webhooks';
import type { DueDeliveries } from '@orders/persistence';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DueDeliveriesObserver } from '../background/due-deliveries.ts';
import type { WebhookObserver } from '../webhooks.ts';

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
export function measureWebhooks(registry: Registry): WebhookObserver & DueDeliveriesObserver {
  const registers = [registry];
  const attempts = new Counter({
    name: 'orders_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook endpoint, by result',
    labelNames: ['result'],
    registers,
  });
  const durations = new Histogram({
    name: 'orders_webhook_attempt_duration_seconds',
    help: 'Duration of attempts to deliver an event',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const lag = new Histogram({
    name: 'orders_webhook_lag_seconds',
    help: 'Time from an event to its acceptance by an endpoint',
    buckets: LAG_BUCKETS,
    registers,
  });
  const failed = new Counter({
    name: 'orders_webhook_deliveries_failed_total',
    help: 'Deliveries whose last attempt failed',
    registers,
  });
  const disabled = new Counter({
    name: 'orders_webhook_endpoints_disabled_total',
    help: 'Webhook endpoints that the worker disabled, by reason',
    labelNames: ['reason'],
    registers,
  });
  const leasesLost = new Counter({
    name: 'orders_webhook_leases_lost_total',
    help: 'Attempts whose result was not recorded, because another worker had claimed the delivery',
    registers,
  });
  const storeFailures = new Counter({
    name: 'orders_webhook_store_failures_total',
    help: 'Statements of the webhook worker that failed; each is sent again',
    registers,
  });
  const unreadable = new Counter({
    name: 'orders_webhook_events_unreadable_total',
    help: 'Deliveries that were postponed for a minute, because only a later release can read their events',
    registers,
  });
  const ownersDue = new Gauge({
    name: 'orders_webhook_owners_due',
    help: 'Owners with due deliveries in the last search for them',
    registers,
  });
  const due = new Gauge({
    name: 'orders_webhook_deliveries_due',
    help: 'Due deliveries of all owners, by what they wait for; at least as many, at most 2,000 of an endpoint are counted',
    labelNames: ['waits_for'],
    registers,
  });
  const oldestDue = new Gauge({
    name: 'orders_webhook_deliveries_due_oldest_age_seconds',
    help: 'Time for which the oldest of these deliveries has been due, 0 without any',
    labelNames: ['waits_for'],
    registers,
  });
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
    deliveriesDue,
  };
}
