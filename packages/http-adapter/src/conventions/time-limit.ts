import { err, type Result } from 'neverthrow';
import type { Problem } from './problem-details.ts';

/**
 * What `work` comes to, unless that takes too long. The work itself goes on: whether a change was made, its client finds
 * out by repeating the request with the same Idempotency-Key. (Fastify's `handlerTimeout` ends with the body of a
 * request, before its handler.)
 */
export async function inTime<T>(work: PromiseLike<Result<T, Problem>>, limitMs: number): Promise<Result<T, Problem>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<T, Problem>>((resolve) => {
    timer = setTimeout(() => resolve(err({ code: 'timeout', detail: 'The answer was not ready in time.' })), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
