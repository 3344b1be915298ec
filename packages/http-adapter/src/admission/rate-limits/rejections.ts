import type { FastifyReply, FastifyRequest } from 'fastify';
import { OVERLOADED } from '../../problems/from-framework.ts';
import { type BaseUrl, type Problem, sendProblem } from '../../problems/problem.ts';
import { payerOf } from '../../request-state.ts';
import type { UnderWay } from '../under-way.ts';
import { addressKey, keyOfAddress } from './address-key.ts';
import { OWNER_WINDOWS_MAX, windows } from './local-counters.ts';

const WINDOW_MS = 60_000;

/** The number of rejections of a key in a window that are sent at once. */
const AT_ONCE = 1000;

/** The least and the most delay of a further one, in milliseconds. They differ, so that those of a flood do not come together. */
const [DELAY_MIN_MS, DELAY_MAX_MS] = [500, 1500];

/** Sends the problem of a request that is not admitted. */
export type Reject = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => void;

/**
 * Returns the function that rejects requests. A client that goes on at full speed in spite of its limit would use the event
 * loop and the processor by rejections alone. So those of an owner or an address beyond a number in a minute are delayed, and
 * their connections can send nothing else meanwhile. At most `delayedMax` are, because a proxy may have no more connections.
 */
export function rejections(now: () => Date, { pause }: UnderWay, delayedMax: number, baseUrl: BaseUrl): Reject {
  const rejected = windows(OWNER_WINDOWS_MAX, WINDOW_MS, now);
  let delayed = 0;
  return (request, reply, problem) => {
    const send = (): void => void sendProblem(reply, problem, baseUrl);
    if (problem.code !== 'rate_limited' && problem !== OVERLOADED) return send();
    const counted = rejected.count(payerOf(request) || keyOfAddress(addressKey(request.ip)));
    if ((counted?.count ?? 0) <= AT_ONCE || delayed >= delayedMax) return send();
    // It only waits.
    pause(reply.raw);
    delayed += 1;
    setTimeout(
      () => {
        delayed -= 1;
        send();
      },
      DELAY_MIN_MS + Math.random() * (DELAY_MAX_MS - DELAY_MIN_MS),
    );
  };
}
