import { err, type Result } from 'neverthrow';
import type { Problem } from '../problems/problem.ts';

/**
 * What `work` comes to, unless that takes too long. The work itself goes on: whether a change was made, its client
 * finds out by repeating the request with the same Idempotency-Key. (Fastify's `handlerTimeout` ends with the body of a
 * request, before its handler.)
 */
export function inTime<T>(work: PromiseLike<Result<T, Problem>>, limitMs: number): Promise<Result<T, Problem>> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(err({ code: 'timeout', detail: 'The answer was not ready in time.' }));
    const timer = setTimeout(giveUp, limitMs);
    work.then(
      (settled) => {
        clearTimeout(timer);
        resolve(settled);
      },
      (cause: Error) => {
        clearTimeout(timer);
        reject(cause);
      },
    );
  });
}
