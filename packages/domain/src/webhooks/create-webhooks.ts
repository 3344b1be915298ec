import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import { assertDefinitionOf, assertPorts, bind, type DefinitionBeside } from '../bind-ports.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { listDeliveries, redeliver } from './endpoint-deliveries.ts';
import { getEndpoint, listEndpoints } from './read-endpoints.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testEndpoint } from './probe-endpoint.ts';
import type { DefinedWebhookPorts, WebhookPorts, Webhooks } from './webhooks.ts';

/**
 * Binds every use case of webhooks to `ports`. Each throws a TypeError at once, before it calls a port, when its owner is
 * not 1 to 255 printable ASCII characters: see `isOwner`.
 *
 * @param definition the definition of the orders; default: that of the port `feed`, or else {@link ORDERS}
 * @throws {TypeError} a port is missing, or was created for another definition; the message names it
 */
export function createWebhooks<
  D extends OrderDefinition,
  P extends { readonly feed: object } = WebhookPorts<D>,
  Given extends OrderDefinition = D,
>(ports: P & WebhookPorts<D>, ...definition: DefinitionBeside<P['feed'], D, Given>): Webhooks<D>;
export function createWebhooks(ports: WebhookPorts<OrderDefinition>, expected?: OrderDefinition): unknown {
  const required = ['endpoints', 'deliveries', 'feed', 'secrets', 'sender', 'targets', 'clock', 'ids'] as const;
  assertPorts('createWebhooks', ports, required);
  const definition = expected ?? ports.feed.definition ?? ORDERS;
  assertDefinitionOf('createWebhooks', 'feed', ports.feed, definition);
  return bindUseCases({ ...ports, definition });
}

/** Binds every use case to ports for events of a definition that is known only when the program runs. */
function bindUseCases(bound: DefinedWebhookPorts): Webhooks<OrderDefinition> {
  return {
    definition: bound.definition,

    createEndpoint: bind(createEndpoint, bound),
    getEndpoint: bind(getEndpoint, bound),
    listEndpoints: bind(listEndpoints, bound),
    changeEndpoint: bind(changeEndpoint, bound),
    deleteEndpoint: bind(deleteEndpoint, bound),
    rotateSecret: bind(rotateSecret, bound),
    testEndpoint: bind(testEndpoint, bound),
    listDeliveries: bind(listDeliveries, bound),
    redeliver: bind(redeliver, bound),
  };
}
