import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificates/client-certificate-entity.ts';
import { ChangeEntity } from './changes/change-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { OrderDefinitionEntity } from './definitions/order-definition-entity.ts';
import { CheckpointEntity } from './events/checkpoint-entity.ts';
import { FeedEntity } from './events/feed-entity.ts';
import { MIGRATIONS_TABLE } from './shared/schema.ts';
import { IdempotencyEntity } from './idempotency/idempotency-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { WebhookDeliveryEntity } from './webhooks/webhook-delivery-entity.ts';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint-entity.ts';
import { WebhookQueueEntity } from './webhooks/webhook-queue-entity.ts';

const entities = [
  ApiKeyEntity,
  ChangeEntity,
  CheckpointEntity,
  ClientCertificateEntity,
  CustomerEntity,
  FeedEntity,
  IdempotencyEntity,
  OrderDefinitionEntity,
  OrderEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookQueueEntity,
];

/**
 * MikroORM with the entities of the orders schema.
 *
 * @internal
 */
export type Orm = ReturnType<typeof createOrm>;

/**
 * Creates MikroORM with all entities. No connection is made.
 *
 * @internal
 */
export function createOrm(options: Pick<Options, 'driverOptions' | 'logger' | 'schema'>) {
  return new MikroORM({
    ...options,
    // Connections are made elsewhere. MikroORM requires a name.
    dbName: 'orders',
    entities,
    // This package runs the migrations itself, and a missing database is an operator's mistake that must be reported.
    ensureDatabase: false,
    // Keeps MikroORM from treating the migrations table as one without an entity.
    migrations: { tableName: MIGRATIONS_TABLE },
    colors: false,
  });
}
