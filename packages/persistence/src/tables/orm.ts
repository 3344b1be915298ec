import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificate-entity.ts';
import { ChangeEntity } from './change-entity.ts';
import { CustomerEntity } from './customer-entity.ts';
import { OrderDefinitionEntity } from './order-definition-entity.ts';
import { CheckpointEntity } from './checkpoint-entity.ts';
import { FeedEntity } from './feed-entity.ts';
import { MIGRATIONS_TABLE } from './schema.ts';
import { IdempotencyEntity } from './idempotency-entity.ts';
import { OrderEntity } from './order-entity.ts';
import { OrderStatisticEntity } from './order-statistic-entity.ts';
import { SendingDatabaseEntity } from './sending-database-entity.ts';
import { WebhookDeliveryEntity } from './webhook-delivery-entity.ts';
import { WebhookEndpointEntity } from './webhook-endpoint-entity.ts';
import { WebhookQueueEntity } from './webhook-queue-entity.ts';

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
  OrderStatisticEntity,
  SendingDatabaseEntity,
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
export function createOrm(options: Pick<Options, 'driverOptions' | 'logger'> & { readonly schema: string }) {
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
