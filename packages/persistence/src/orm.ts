import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificates/client-certificate-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { MIGRATIONS_TABLE } from './migration/schema-status.ts';
import { OnceEntity } from './once/once-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { OrderItemEntity } from './orders/order-item-entity.ts';
import { OutboxEntity } from './outbox/outbox-entity.ts';

const entities = [
  ApiKeyEntity,
  ClientCertificateEntity,
  CustomerEntity,
  OnceEntity,
  OrderEntity,
  OrderItemEntity,
  OutboxEntity,
];

/**
 * MikroORM with the entities of the orders schema.
 *
 * @internal
 */
export type Orm = ReturnType<typeof createOrm>;

/**
 * Creates MikroORM with all entities; no connection is made.
 *
 * @internal
 */
export function createOrm(options: Pick<Options, 'clientUrl' | 'driverOptions' | 'logger'>) {
  return new MikroORM({
    ...options,
    entities,
    // The migrations are ours to run; a database that is missing is an operator's mistake to be told of.
    ensureDatabase: false,
    // So that MikroORM does not take it for a table that no entity describes.
    migrations: { tableName: MIGRATIONS_TABLE },
    colors: false,
  });
}
