import { assertPorts, bind } from '../shared/bind-ports.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { listDeliveries, redeliver } from './endpoint-deliveries.ts';
import { getEndpoint, listEndpoints } from './read-endpoints.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testEndpoint } from './probe-endpoint.ts';
import type { WebhookPorts, Webhooks } from './webhooks.ts';

/**
 * Binds every use case of webhooks to `ports`. Each throws a TypeError at once, before it calls a port, when its owner is
 * not 1 to 255 printable ASCII characters: see `isOwner`.
 *
 * @throws {TypeError} a port is missing; the message names it
 */
export function createWebhooks(ports: WebhookPorts): Webhooks {
  const required = ['endpoints', 'deliveries', 'feed', 'secrets', 'sender', 'targets', 'clock', 'ids'] as const;
  assertPorts('createWebhooks', ports, required);
  return {
    createEndpoint: bind(createEndpoint, ports),
    getEndpoint: bind(getEndpoint, ports),
    listEndpoints: bind(listEndpoints, ports),
    changeEndpoint: bind(changeEndpoint, ports),
    deleteEndpoint: bind(deleteEndpoint, ports),
    rotateSecret: bind(rotateSecret, ports),
    testEndpoint: bind(testEndpoint, ports),
    listDeliveries: bind(listDeliveries, ports),
    redeliver: bind(redeliver, ports),
  };
}
