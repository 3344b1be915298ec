import type { FastifyReply } from 'fastify';
import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import type { Awaitable } from '../value-or-promise.ts';
import type { Problem } from '../problems/problem.ts';
import { payerOf } from '../request-state.ts';
import { charged, type LoopTime, type SuccessResponse } from '../response/send-response.ts';
import type { CostOfUnits, Handle, Served } from './operation.ts';

/**
 * Charges a payer for the units of a request, all of them or none. `taken` of them are charged already. Returns the problem if
 * fewer are left.
 */
export type ChargeUnits = (
  cost: Pick<CostOfUnits, 'policy' | 'excess'>,
  reply: FastifyReply,
  payer: string,
  units: number,
  taken: number,
) => Awaitable<Problem | undefined>;

/** Returns the handler of an operation, which begins its work once its cost is charged, and within the limit of its payer. */
export function chargedWork(operation: Served, charge: ChargeUnits, loopTime: LoopTime): Handle {
  const { underWayMax } = operation.cost;
  const handle = 'handle' in operation ? operation.handle : measuredWork(operation, charge, loopTime);
  return Number.isFinite(underWayMax) ? within(underWayMax, handle) : handle;
}

function measuredWork(
  { cost, measure }: Extract<Served, { readonly measure: unknown }>,
  charge: ChargeUnits,
  loopTime: LoopTime,
): Handle {
  return (request, reply) => {
    const work = async (): Promise<Result<SuccessResponse, Problem>> => {
      const payer = payerOf(request);
      const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
      // To parse costs by the bytes, also what is invalid.
      const read = Math.max(1, Math.ceil(bytes / cost.bytesPerUnit));
      let taken = 1;
      const chargeTo = async (units: number): Promise<Result<undefined, Problem>> => {
        const exceeded = await charge(cost, reply, payer, units, taken);
        taken = Math.max(taken, units);
        return exceeded ? err(exceeded) : ok(undefined);
      };
      const unread = await chargeTo(read);
      if (unread.isErr()) return err(unread.error);
      const { units, work: begin } = charged(loopTime, payer, () => measure(request));
      const exceeded = await chargeTo(units);
      if (exceeded.isErr()) return err(exceeded.error);
      return await begin((all) => new ResultAsync(chargeTo(all)));
    };
    return new ResultAsync(work());
  };
}

/** Limits the requests of a payer that `handle` works at, whether their clients still wait or not. */
function within(max: number, handle: Handle): Handle {
  const underWay = new Map<string, number>();
  const count = (payer: string, change: 1 | -1): void => {
    const requests = (underWay.get(payer) ?? 0) + change;
    if (requests === 0) underWay.delete(payer);
    else underWay.set(payer, requests);
  };
  const exceeded: Problem = {
    code: 'rate_limited',
    detail: `At most ${max} of your requests for this operation can be under way at a time.`,
    headers: { 'retry-after': '1' },
  };
  return (request, reply) => {
    const payer = payerOf(request);
    if ((underWay.get(payer) ?? 0) >= max) return errAsync(exceeded);
    count(payer, 1);
    const work = async () => {
      try {
        return await handle(request, reply);
      } finally {
        count(payer, -1);
      }
    };
    return new ResultAsync(work());
  };
}
