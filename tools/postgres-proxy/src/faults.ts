import type { Statement } from './statements.ts';

/**
 * What happens to a statement on its way to PostgreSQL:
 *
 * - `cut_before`: the connection is cut, and the statement does not reach PostgreSQL.
 * - `terminated`: another session ends the connection's backend by `pg_terminate_backend`; the client gets PostgreSQL's
 *   own words about that, and the end of the connection when it sends something more. The statement is not executed.
 * - `answer_lost`: PostgreSQL executes it and is ready for the next; then the connection is cut without the answer.
 *   Not for a statement that is fetched in portions.
 * - `swallowed`: from this statement on nothing gets through in either direction, and no end of the connection either.
 * - `answer_swallowed`: the same, once PostgreSQL has executed it.
 * - a function: the statement waits for it, then goes on. One that rejects is a mistake of the test, and is not caught.
 */
export type Fault =
  | 'cut_before'
  | 'terminated'
  | 'answer_lost'
  | 'swallowed'
  | 'answer_swallowed'
  | ((statement: Statement) => Promise<void>);

/** What became of a fault. */
export interface Armed {
  /** The statement it was applied to; absent until then. */
  readonly statement: Statement | undefined;
}

type Verdict = 'forward' | Exclude<Fault, (statement: Statement) => Promise<void>>;

/** What a connection asks before it forwards a statement. */
export type Judge = (statement: Statement) => Promise<Verdict>;

/** The faults that wait for their statement. */
export function faults() {
  let waiting: {
    left: number;
    readonly fault: Fault;
    readonly counts: (statement: Statement) => boolean;
    readonly armed: { statement: Statement | undefined };
  }[] = [];
  const judge: Judge = async (statement) => {
    for (const fault of waiting) if (fault.counts(statement)) fault.left -= 1;
    const due = waiting.filter(({ left }) => left === 0);
    waiting = waiting.filter(({ left }) => left > 0);
    let verdict: Verdict = 'forward';
    for (const { fault, armed } of due) {
      armed.statement = statement;
      if (typeof fault === 'function') await fault(statement);
      else verdict = fault;
    }
    return verdict;
  };
  return {
    judge,
    arm: (step: number, fault: Fault, counts: (statement: Statement) => boolean = () => true): Armed => {
      const armed = { statement: undefined };
      waiting.push({ left: step, fault, counts, armed });
      return armed;
    },
    disarm: (): void => {
      waiting = [];
    },
  };
}
