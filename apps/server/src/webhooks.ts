import type { Clock, IdSource, OrderDefinition } from '@orders/domain';
import type { EventFeed, FeedEvent } from '@orders/domain/events';
import {
  createWebhooks,
  endpointKind,
  type WebhookPorts,
  type Webhooks,
  type WebhookSender,
} from '@orders/domain/webhooks';
import {
  type OrdersDatabase,
  postgresWebhookDeliveries,
  postgresWebhookEndpoints,
  postgresWebhookQueue,
} from '@orders/persistence';
import {
  startWebhookWorker,
  webhookSecrets,
  webhookSender,
  webhookTargets,
  type WebhookWorker,
  type WebhookWorkerObserver,
  WORKER_STOP_GRACE_MS_DEFAULT,
} from '@orders/webhooks';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config/config.ts';
import { observedStep, type OwnerStepsObserver } from './background/in-background.ts';
import { sendingGate, type SendingObserver } from './background/sending-gate.ts';

/** Maximum number of test messages that are sent at a time. They take no connection from the worker. */
const TESTS_MAX = 64;

/** The result of an attempt that was not made. It says nothing of the endpoint. */
const NOT_SENT = { status: null, error: 'interrupted', duration_ms: 0, retryAfterMs: null } as const;

/** Receives the results of attempts, and the events that the worker cannot read. */
export interface WebhookObserver extends WebhookWorkerObserver, OwnerStepsObserver, SendingObserver {
  /** A later release has written an event, whose delivery was postponed. */
  eventUnreadable?(): void;
}

/** The dependencies of webhooks beside the configuration. */
export interface WebhookParts {
  readonly database: OrdersDatabase;
  readonly feed: EventFeed<OrderDefinition>;
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** The signing keys, the newest first. */
  readonly signingKeys: readonly string[];
  /** Returns the `data` of the message for an event. */
  readonly present: (event: FeedEvent<OrderDefinition>) => unknown;
  /** Time between two background queries for due deliveries, in milliseconds. Default: that of the worker. */
  readonly pollMs?: number | undefined;
  /** Receives the results of attempts. Default: no-op. */
  readonly observer?: WebhookObserver | undefined;
  /** Ports of the use cases in place of those of the database and the network. Default: none. */
  readonly ports?: Partial<WebhookPorts<OrderDefinition>> | undefined;
}

/** The webhooks of a server. */
export interface ServerWebhooks {
  readonly useCases: Webhooks<OrderDefinition>;
  /** Delivers events until {@link stop}. */
  readonly deliver: () => void;
  /** Ends attempts within the time of a shutdown. */
  readonly stop: () => Promise<void>;
  /** Delivers events while `app` listens, if `delivers`, and ends with it. Call this before it listens. */
  readonly attachTo: (app: FastifyInstance, delivers: boolean) => void;
}

/** Creates the use cases of webhooks, and the worker that delivers events. */
export function serverWebhooks(config: Config, parts: WebhookParts): ServerWebhooks {
  const { database, feed, log, clock, ids, signingKeys, present, pollMs, observer, ports } = parts;
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
  const step = observedStep('find_deliveries', log, observer);
  const sender = webhookSender({ secrets, clock, rules, warn });
  const testSender = webhookSender({ secrets, clock, rules, warn, connectionsMax: TESTS_MAX });
  const gate = sendingGate(database, log, observer);
  const gated = (inner: WebhookSender): WebhookSender => ({
    send: async (...message) => ((await gate.isOpen()) ? await inner.send(...message) : NOT_SENT),
  });
  let stopWatching: (() => Promise<void>) | undefined;
  const webhookPorts = {
    endpoints,
    deliveries: postgresWebhookDeliveries(database),
    feed,
    secrets,
    sender: gated(testSender),
    targets: webhookTargets(rules),
    clock,
    ids,
    idempotencyTtlMs: config.IDEMPOTENCY_TTL_HOURS * 60 * 60 * 1000,
    ...ports,
  };
  const useCases = createWebhooks(webhookPorts, database.definition);
  let worker: WebhookWorker | undefined;
  const writes = {
    written: (owner: string, aggregate?: string) =>
      aggregate === endpointKind.name ? worker?.wakeForEndpoint(owner) : worker?.wake(owner),
  };
  const watch = () => void (stopWatching ??= gate.watch());
  const deliver = () => {
    watch();
    worker = startWebhookWorker({
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
    database.writeListeners.add(writes);
  };
  const stop = async () => {
    database.writeListeners.delete(writes);
    await Promise.all([worker?.stop(), stopWatching?.()]);
    sender.close();
  };
  return {
    useCases,
    deliver,
    stop,
    attachTo: (app, delivers) => {
      app.addHook('onListen', (done) => {
        if (delivers) deliver();
        else watch();
        done();
      });
      // Attempts end while the last requests do.
      let stopped: Promise<void> | undefined;
      app.addHook('preClose', (done) => {
        stopped = stop();
        done();
      });
      app.addHook('onClose', async () => {
        await stopped;
        // Only now: the last requests may be tests, whose attempts would fail.
        testSender.close();
      });
    },
  };
}
