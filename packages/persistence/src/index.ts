export {
  type AuditEntry,
  type Auditing,
  type AuditLog,
  type AuditQuery,
  type AuditRecord,
  type AuditRecords,
  postgresAudit,
} from './admin/audit.ts';
export { postgresRecordedEndpoints } from './admin/recorded-endpoints.ts';
export { type RecordedTransaction, recordedTransactions } from './admin/recorded-transactions.ts';
export {
  type ListedOwner,
  type ListedOwners,
  type OrderCounts,
  type OwnerDirectory,
  postgresOwners,
} from './admin/owners.ts';
export {
  type OwnerChange,
  type OwnerRateLimits,
  type OwnerSettings,
  type OwnerSettingsRepository,
  postgresOwnerSettings,
} from './admin/owner-settings.ts';
export {
  type AddCommentError,
  type AddedComment,
  type NewOrderComment,
  type OrderComments,
  postgresOrderComments,
  type TooManyComments,
} from './admin/order-comments.ts';
export { postgresOrderFinder } from './admin/order-finder.ts';
export { postgresTimelines } from './admin/order-timelines.ts';
export {
  type DeliveryOfOwner,
  type DeliveryQuery,
  type ListDeliveries,
  postgresDeliveriesOfOwners,
} from './admin/deliveries-of-owners.ts';
export {
  type EndpointHealth,
  type EndpointQuery,
  type ListEndpoints,
  type LookedAt,
  type OwnersPageOf,
  type OwnersPlace,
  postgresEndpointsOfOwners,
} from './admin/endpoints-of-owners.ts';
export { postgresOperatorJobs } from './admin/jobs.ts';
export { runJobs, type RunJobsOptions } from './admin/run-jobs.ts';
export {
  type ListedOperator,
  type ListedSession,
  type NewOperatorToken,
  type Operator,
  type OperatorRepository,
  type OperatorRole,
  type OperatorSession,
  postgresOperators,
} from './admin/operators.ts';
export {
  type ApiKey,
  type ApiKeyRepository,
  type ListedApiKey,
  type NewApiKey,
  postgresApiKeys,
} from './api-keys/api-key-repository.ts';
export {
  type CertificateOwner,
  type ClientCertificateRepository,
  type FoundCertificate,
  type ListedClientCertificate,
  type NewClientCertificate,
  postgresClientCertificates,
} from './client-certificates/client-certificate-repository.ts';
export type { CredentialQuery } from './admin/credentials.ts';
export { postgresCustomerRepository } from './customers/customer-repository.ts';
export { type ClockDifference, clockDifference } from './doctor/clock-difference.ts';
export { type Examination, examineDatabase, type TableSize } from './doctor/examine-database.ts';
export type { BlockedProcess, OpenTransaction } from './postgres/blocked-processes.ts';
export type { DatabaseOptions, DatabaseSettings, DefinitionOption } from './database/open-pools.ts';
export type { AdoptOptions, Database, MigrateOptions, OrdersDatabase, SchemaStatus } from './database/database.ts';
export { UnrelatedDefinition } from './definitions/unrelated-definition.ts';
export { OrdersInRemovedStatuses } from './definitions/orders-in-removed-statuses.ts';
export { openDatabase } from './open-database.ts';
export { distribute, type DistributeOptions, SHARDS_DEFAULT, SHARDS_MAX } from './migration/distribute.ts';
export { postgresCheckpoints } from './events/postgres-checkpoints.ts';
export {
  consumeInTransaction,
  type ConsumeInTransactionOptions,
  type TransactionalHandler,
} from './events/consume-in-transaction.ts';
export {
  consumeAllInTransaction,
  type ConsumeAllInTransactionOptions,
  type OwnerTransactionalHandler,
} from './events/consume-all-in-transaction.ts';
export { countUnnumbered, numberBacklogs, type NumberedBacklogs } from './events/number-backlogs.ts';
export {
  countPendingErasures,
  type ErasedResource,
  erasedResources,
  finishErasures,
  type FinishErasuresOptions,
  type PendingErasures,
} from './erasures/finish-erasures.ts';
export { postgresEventFeed } from './events/event-feed.ts';
export { postgresOrderRepository } from './orders/order-repository.ts';
export type { UnknownOrder } from './database/orders-in-unknown-statuses.ts';
export { consumeStatistics, type StatisticsOptions } from './statistics/consume-statistics.ts';
export { countStatistics, type CountedEvents } from './statistics/count-statistics.ts';
export { rebuildLookups } from './orders/rebuild-lookups.ts';
export { rebuildStatistics } from './statistics/rebuild-statistics.ts';
export { postgresOrderStatistics } from './statistics/order-statistics.ts';
export { postgresStore } from './postgres-store.ts';
export { type Purge, type PurgeAges, type Purged, purge } from './purge/purge.ts';
export type { OwnerStepOptions } from './owners/owner-walk.ts';
export { type FailureReason, failureReason, UnknownStatus } from './postgres/postgres-errors.ts';
export { handled } from './transaction/handled.ts';
export { retried, type RetryOptions } from './transaction/retried.ts';
export type { HostClient, HostEntityManager, HostExecutor, HostOrm, HostPool } from './transaction/host.ts';
export type {
  JoinedTransaction,
  Transaction,
  TransactionClient,
  TransactionOptions,
} from './transaction/transaction.ts';
export { postgresWebhookEndpoints } from './webhooks/webhook-endpoint-repository.ts';
export { type DueDeliveries, dueDeliveries, type WaitingDeliveries } from './webhooks/due-deliveries.ts';
export { TransactionFailed } from './postgres/transaction-failed.ts';
export {
  adoptDatabase,
  adoptNextDatabase,
  quietDatabase,
  type SendingDatabase,
  sendingDatabase,
} from './webhooks/sending-database.ts';
export { discardDeliveries } from './webhooks/discard-deliveries.ts';
export { postgresWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
export { type EndpointOfSigningKey, endpointsOfSigningKey, signingKeysInUse } from './webhooks/signing-keys-in-use.ts';
export { postgresWebhookQueue, type WebhookQueueOptions } from './webhooks/webhook-queue.ts';
