import { once } from 'node:events';
import type { Clock, IdSource, OrderDefinition } from '@orders/domain';
import type { EventFeed, FeedEvent } from '@orders/domain/events';
import {
  createWebhooks,
  endpointKind,
  type WebhookEndpointRepository,
  type Webhooks,
  type WebhookSender,
} from '@orders/domain/webhooks';
import { postgresWebhookDeliveries, postgresWebhookEndpoints, postgresWebhookQueue } from '@orders/persistence';
import {
  startWebhookWorker,
  webhookSecrets,
  webhookSender,
  webhookTargets,
  WORKER_STOP_GRACE_MS_DEFAULT,
} from '@orders/webhooks';
import type { Config } from './config/config.ts';
import { type Job, type JobParts, observedStep } from './jobs/job.ts';
import { sendingGate } from './jobs/sending-gate.ts';

/** Maximum number of test messages that are sent at a time. They take no connection from the worker. */
const TESTS_MAX = 64;

/** The result of an attempt that was not made. It says nothing of the endpoint. */
const NOT_SENT = { status: null, error: 'interrupted', duration_ms: 0, retryAfterMs: null } as const;

/** The dependencies of webhooks beside the configuration. */
export interface WebhookParts extends JobParts {
  readonly feed: EventFeed<OrderDefinition>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** The signing keys, the newest first. */
  readonly signingKeys: readonly string[];
  /** Returns the `data` of the message for an event. */
  readonly present: (event: FeedEvent<OrderDefinition>) => unknown;
  /** Time between two background queries for due deliveries, in milliseconds. Default: that of the worker. */
  readonly pollMs?: number | undefined;
}

/** The webhooks of a server. */
export interface ServerWebhooks {
  readonly useCases: Webhooks<OrderDefinition>;
  /** Returns the use cases over another repository of endpoints. */
  readonly useCasesOver: (endpoints: WebhookEndpointRepository<OrderDefinition>) => Webhooks<OrderDefinition>;
  /** Watches whether the database may send. */
  readonly watch: Job;
  /** Delivers events. When it is stopped, attempts end within the time of a shutdown. */
  readonly deliver: Job;
  /** Ends the connections of test messages. Call it after the last request. */
  readonly close: () => void;
}

/** Creates the use cases of webhooks, and the jobs that deliver events. */
export function serverWebhooks(config: Config, parts: WebhookParts): ServerWebhooks {
  const { database, feed, log, clock, ids, signingKeys, present, pollMs, observer } = parts;
  const rules = { allow: config.WEBHOOK_ALLOW_CIDRS, deny: config.WEBHOOK_DENY_CIDRS };
  const secrets = webhookSecrets(signingKeys);
  const endpoints = postgresWebhookEndpoints(database);
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  const onExpired = (owner: string, endpoint: string, count: number) =>
    log.warn({ owner, endpoint, count }, 'events left the feed before a webhook endpoint got them');
  const onUnreadable = (owner: string, endpoint: string, position: number, err: unknown) => {
    observer?.eventUnreadable?.();
    log.warn(
      { owner, endpoint, position, err },
      'an event for a webhook endpoint cannot be read; its delivery is postponed',
    );
  };
  const step = observedStep('find_deliveries', parts);
  const sender = webhookSender({ secrets, clock, rules, warn });
  const testSender = webhookSender({ secrets, clock, rules, warn, connectionsMax: TESTS_MAX });
  const gate = sendingGate(parts);
  const gated = (inner: WebhookSender): WebhookSender => ({
    send: async (...message) => ((await gate.isOpen()) ? await inner.send(...message) : NOT_SENT),
  });
  const webhookPorts = {
    deliveries: postgresWebhookDeliveries(database),
    feed,
    secrets,
    sender: gated(testSender),
    targets: webhookTargets(rules),
    clock,
    ids,
    idempotencyTtlMs: config.IDEMPOTENCY_TTL_HOURS * 60 * 60 * 1000,
  };
  const useCasesOver: ServerWebhooks['useCasesOver'] = (repository) =>
    createWebhooks({ ...webhookPorts, endpoints: repository }, database.definition);
  const deliver = async (signal: AbortSignal) => {
    const worker = startWebhookWorker({
      queue: postgresWebhookQueue(database, { onExpired, onUnreadable, ...step }),
      sender: gated(sender),
      maySend: gate.isOpen,
      endpoints,
      ids,
      clock,
      present,
      log,
      observer,
      pollMs,
      attemptsPerOwnerPerSecond: config.WEBHOOK_ATTEMPTS_PER_OWNER_PER_SECOND,
      stopGraceMs: Math.min(WORKER_STOP_GRACE_MS_DEFAULT, config.SHUTDOWN_GRACE_MS),
    });
    const writes = {
      written: (owner: string, aggregate?: string) =>
        aggregate === endpointKind.name ? worker.wakeForEndpoint(owner) : worker.wake(owner),
    };
    database.writeListeners.add(writes);
    if (!signal.aborted) await once(signal, 'abort');
    database.writeListeners.delete(writes);
    await worker.stop();
    sender.close();
  };
  return {
    useCases: useCasesOver(endpoints),
    useCasesOver,
    watch: gate.watch,
    deliver: { name: 'webhooks', run: deliver },
    close: () => testSender.close(),
  };
}
