// A server that delivers webhooks, also to this machine. It sends its address, then the result of each attempt, and
// ends when it is disconnected.
import { argv } from 'node:process';
import { presentEvent } from '@orders/domain/events';
import { createDomain, systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { createWebhooks } from '@orders/domain/webhooks';
import { apiKeys, authenticateBy, ordersHttp } from '@orders/http-adapter';
import {
  openDatabase,
  postgresApiKeys,
  postgresEventFeed,
  postgresStore,
  postgresWebhookDeliveries,
  postgresWebhookEndpoints,
  postgresWebhookQueue,
} from '@orders/persistence';
import { startWebhookWorker, webhookSecrets, webhookSender, webhookTargets } from '@orders/webhooks';
import { fastify } from 'fastify';

const [, , url = '', port = '', signingKey = ''] = argv;
const database = openDatabase({ url });
const app = fastify();
const [clock, ids, feed] = [systemClock, uuidv7Ids(), postgresEventFeed(database)];
const endpoints = postgresWebhookEndpoints(database);
const secrets = webhookSecrets([signingKey]);
const rules = { allow: ['127.0.0.1'] };
const sender = webhookSender({ secrets, clock, rules });
await app.register(ordersHttp, {
  domain: createDomain({ ...postgresStore(database), clock, ids }),
  feed,
  webhooks: createWebhooks({
    endpoints,
    deliveries: postgresWebhookDeliveries(database),
    feed,
    secrets,
    sender,
    targets: webhookTargets(rules),
    clock,
    ids,
  }),
  authentication: authenticateBy(apiKeys(postgresApiKeys(database))),
  publicBaseUrl: 'https://api.example.com',
  // The check reads the log, and requests deliveries, more often than 600 and 120 times a minute.
  rateLimits: { read: 0, write: 0 },
});
process.on('disconnect', () => process.exit());
process.send?.(await app.listen({ host: '127.0.0.1', port: Number(port) }));
startWebhookWorker({
  queue: postgresWebhookQueue(database),
  sender,
  endpoints,
  clock,
  ids,
  present: presentEvent,
  log: { info: () => undefined, warn: (details, message) => console.warn(message, details) },
  observer: { attempted: ({ error }) => void process.send?.({ error }) },
});
