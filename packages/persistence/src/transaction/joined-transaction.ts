import type { Domain, OrderDefinition } from '@orders/domain';
import type { RepositoryConnections } from '../database-parts.ts';
import { SESSION_SETTINGS, type SessionSettings, unsuitable } from '../postgres/session-settings.ts';
import type { HostClient, HostEntityManager } from './host.ts';
import { hostSession } from './host-session.ts';
import { failureOf, transactionConnections } from './transaction-connections.ts';
import type { JoinedTransaction } from './transaction.ts';

interface JoinOptions<D extends OrderDefinition> {
  readonly bindDomain: (connections: RepositoryConnections) => Domain<D>;
  /** Whether statements are prepared by name. */
  readonly named: boolean;
}

/** See {@link Database.joinTransaction}. */
export async function joinTransaction<D extends OrderDefinition>(
  host: HostEntityManager | HostClient,
  { bindDomain, named }: JoinOptions<D>,
): Promise<JoinedTransaction<D>> {
  const { executor, order } = hostSession(host, named);
  const check = async (): Promise<void> => {
    // A savepoint is rejected outside a transaction.
    await executor.run('savepoint orders_joined');
    await executor.run('release savepoint orders_joined');
    const [settings] = await executor.execute<SessionSettings>(SESSION_SETTINGS, []);
    const fault = unsuitable(settings);
    if (fault) throw fault;
  };
  try {
    await order.run(check);
  } catch (cause) {
    throw failureOf(cause) ?? cause;
  }
  return { domain: bindDomain(transactionConnections(executor, { order, isJoined: true })) };
}
