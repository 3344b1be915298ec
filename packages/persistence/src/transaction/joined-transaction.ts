import type { Domain, OrderDefinition } from '@orders/domain';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import { idOf } from '../postgres/session.ts';
import { SESSION_SETTINGS, type SessionSettings, unsuitable } from '../postgres/session-settings.ts';
import { TRANSACTION } from '../postgres/transaction-identity.ts';
import { boundStatements } from '../sql/bound-statements.ts';
import type { Host } from './host.ts';
import { hostSession } from './host-session.ts';
import { afterEnd, failureOf, transactionConnections } from './transaction-connections.ts';
import type { JoinedTransaction } from './transaction.ts';

interface JoinOptions<D extends OrderDefinition> {
  readonly bindDomain: (connections: RepositoryConnections) => Domain<D>;
  /** The PostgreSQL schema of the tables. */
  readonly schema: string;
  /** Whether statements are prepared by name. */
  readonly named: boolean;
}

const SETTINGS = { text: `${SESSION_SETTINGS.text}, ${TRANSACTION} as id` };

/** See {@link Database.joinTransaction}. */
export async function joinTransaction<D extends OrderDefinition>(
  host: Host,
  { bindDomain, schema, named }: JoinOptions<D>,
): Promise<JoinedTransaction<D>> {
  const { executor, order } = hostSession(host, named);
  const identify = async (): Promise<string> => {
    const [settings] = await executor.execute<SessionSettings>(SETTINGS, []);
    const id = idOf(settings);
    const [again] = await executor.execute<SessionSettings>(SETTINGS, []);
    // Without a transaction each statement has one of its own.
    if (idOf(again) !== id) throw new TypeError('the connection is not in a transaction');
    const fault = unsuitable(settings);
    if (fault) throw fault;
    return id;
  };
  try {
    const session = boundStatements(executor, schema, await order.run(identify), afterEnd);
    return { domain: bindDomain(transactionConnections(session, { order, isJoined: true })) };
  } catch (cause) {
    throw failureOf(cause) ?? cause;
  }
}
