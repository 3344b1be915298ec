import { constants } from 'node:os';
import { OperatorError } from './operator-error.ts';

/** The request of an operator, or of the system, that this process ends. */
export interface StopSignal {
  /** Aborted with the first signal, for an {@link OperatorError} with its exit code and no message. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly stopped: Promise<NodeJS.Signals>;
}

/**
 * How soon after the first signal another one counts as the same, in milliseconds: one Ctrl-C reaches this process from
 * the terminal and from each package manager that it runs below.
 */
const SAME_MS = 500;

/** The exit code of a process that a signal ended, as shells report it. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Listens for SIGTERM, SIGINT and SIGHUP from now on. The first asks to end in order, a second one ends at once. */
export function listenForStop(): StopSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    const receive = (name: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve(name);
        controller.abort(new OperatorError([], { exitCode: exitCodeOf(name) }));
      } else if (performance.now() - firstAt > SAME_MS) {
        process.exit(exitCodeOf(name));
      }
    };
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, receive);
  });
  return { signal: controller.signal, stopped };
}
