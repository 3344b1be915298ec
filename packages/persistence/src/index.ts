export {
  type ApiKey,
  type ApiKeyRepository,
  type ListedApiKey,
  postgresApiKeys,
} from './api-keys/api-key-repository.ts';
export {
  type CertificateOwner,
  type ClientCertificateRepository,
  type ListedClientCertificate,
  postgresClientCertificates,
} from './client-certificates/client-certificate-repository.ts';
export { postgresCustomerRepository } from './customers/customer-repository.ts';
export { type ClockDifference, clockDifference } from './clock-difference.ts';
export type { DatabaseOptions } from './connect.ts';
export { type Database, openDatabase } from './database.ts';
export { distribute } from './distribute.ts';
export type { MigrateOptions } from './migrate.ts';
export type { SchemaStatus } from './migration/schema-status.ts';
export { postgresOrderRepository } from './orders/order-repository.ts';
export { type Purge, type PurgeAges, type Purged, purge } from './purge.ts';
