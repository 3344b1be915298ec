import type { AggregateStore, OrderDefinition, Owner } from '@orders/domain';
import type {
  AnyEndpoint,
  TooManyEndpoints,
  WebhookEndpointEvent,
  WebhookEndpointRepository,
} from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import type { Database } from '../database/database.ts';
import { webhookEndpointRepository, webhookEndpointStatements } from '../webhooks/webhook-endpoint-repository.ts';
import type { AuditEntry } from './audit.ts';
import { recordedTransactions } from './recorded-transactions.ts';

type Store = AggregateStore<AnyEndpoint, WebhookEndpointEvent, TooManyEndpoints>;

/**
 * Returns the repository of webhook endpoints for operators: each write is one transaction with its record, which is about
 * the endpoint. Unlike use cases in a transaction, those over it read the feed and make deliveries due on connections of
 * their own, before and after that.
 *
 * @param entryOf returns what is recorded of the current write
 */
export function postgresRecordedEndpoints<D extends OrderDefinition>(
  database: Database<unknown, D>,
  entryOf: () => Omit<AuditEntry, 'owner' | 'subject'>,
): WebhookEndpointRepository<D>;
export function postgresRecordedEndpoints(
  database: Database<unknown, OrderDefinition>,
  entryOf: () => Omit<AuditEntry, 'owner' | 'subject'>,
): unknown {
  const statements = webhookEndpointStatements(database.orm);
  const outside = webhookEndpointRepository(statements, database);
  const transactions = recordedTransactions(database);
  const recorded = <T, E>(owner: Owner, subject: string, write: (store: Store) => ResultAsync<T, E>) =>
    transactions(
      owner,
      ({ connections }) => write(webhookEndpointRepository(statements, connections)),
      () => ({ ...entryOf(), owner, subject }),
    );
  return {
    ...outside,
    // A transaction does not repeat a write that meets an expired key.
    plan: () => ({ lookUpFirst: true, lockFirst: false }),
    commit: (owner, write) =>
      recorded(owner, 'after' in write ? write.after.id : write.before.aggregate.id, (store) =>
        store.commit(owner, write),
      ),
    commitLocked: (owner, id, lookUp, decide) =>
      recorded(owner, id, (store) => store.commitLocked(owner, id, lookUp, decide)),
  } satisfies WebhookEndpointRepository<OrderDefinition>;
}
