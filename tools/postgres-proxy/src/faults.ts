import type { Statement } from './statements.ts';

/**
 * A fault to inject into the execution of a statement:
 *
 * - `cut_before`: cuts the connection before the statement reaches PostgreSQL.
 * - `terminated`: ends the connection's backend by `pg_terminate_backend` from another session. The client receives the
 *   message of PostgreSQL, and the end of the connection when it sends more. The statement is not executed.
 * - `response_lost`: cuts the connection after PostgreSQL has executed the statement, without its response. Not for a
 *   statement that is fetched in portions.
 * - `swallowed`: forwards nothing in either direction from this statement on, not even the end of the connection.
 * - `response_swallowed`: the same, after PostgreSQL has executed the statement.
 * - a function: runs before the statement. Its rejection is a bug of the test, and is not caught.
 */
export type Fault =
  | 'cut_before'
  | 'terminated'
  | 'response_lost'
  | 'swallowed'
  | 'response_swallowed'
  | ((statement: Statement) => Promise<void>);

/** The state of an injected fault. */
export interface InjectedFault {
  /** The affected statement; absent until the fault was applied. */
  readonly statement: Statement | undefined;
}

type Decision = 'forward' | Exclude<Fault, (statement: Statement) => Promise<void>>;

/** Decides whether a statement is forwarded. */
export type Decide = (statement: Statement) => Promise<Decision>;

/** Returns the queue of faults that have not been applied yet. */
export function faults() {
  let waiting: {
    left: number;
    readonly fault: Fault;
    readonly counts: (statement: Statement) => boolean;
    readonly armed: { statement: Statement | undefined };
  }[] = [];
  const decide: Decide = async (statement) => {
    for (const fault of waiting) if (fault.counts(statement)) fault.left -= 1;
    const due = waiting.filter(({ left }) => left === 0);
    waiting = waiting.filter(({ left }) => left > 0);
    let decision: Decision = 'forward';
    for (const { fault, armed } of due) {
      armed.statement = statement;
      if (typeof fault === 'function') await fault(statement);
      else decision = fault;
    }
    return decision;
  };
  return {
    decide,
    arm: (step: number, fault: Fault, counts: (statement: Statement) => boolean = () => true): InjectedFault => {
      const armed = { statement: undefined };
      waiting.push({ left: step, fault, counts, armed });
      return armed;
    },
    disarm: (): void => {
      waiting = [];
    },
  };
}
