import { err } from 'neverthrow';
import type { ResultAsync } from 'neverthrow';
import type { Timer } from '../../events/timer.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import type { FunctionOf, PortCall, PortMethod } from './port-calls.ts';

/** What can happen to a call of any port. */
export type AnyFault =
  /** The call is not made, and nothing ever returns: its process crashed before it, or its network is gone. */
  | 'hangs'
  /** The call is made, and nothing ever returns. */
  | 'done_then_hangs'
  /** The call is made twice, as by a network that repeats a request; the first outcome is returned. */
  | 'done_twice'
  /** The call is made, and its outcome returns so many milliseconds later. */
  | { readonly lateMs: number };

/** What can happen to a call that returns a result. */
export type ResultFault =
  /** The call is not made, and the result is `unavailable`. */
  | 'unavailable'
  /** The call is made, and the result is `unavailable`: the caller cannot know whether it was. */
  | 'done_then_unavailable';

/** What can happen to a transaction that calls a decision. */
export type TransactionFault =
  /** The connection is lost in the transaction: the decision was called, nothing is stored, and the result is `unavailable`. */
  | 'rolled_back'
  /** The transaction is rolled back and run again, so that the decision is called twice. */
  | 'decided_twice';

/** What can happen to a call of a method. `error` and `returns` take the place of the call, which is not made. */
export type Fault<Method extends PortMethod> =
  | AnyFault
  | (ReturnType<FunctionOf<Method>> extends ResultAsync<unknown, infer E>
      ? ResultFault | { readonly error: E }
      : { readonly returns: Awaited<ReturnType<FunctionOf<Method>>> })
  | (Method extends `${string}.commitLocked` ? TransactionFault : never);

/** A fault of a call whose method is known only when the program runs. */
export type CallFault =
  | AnyFault
  | ResultFault
  | TransactionFault
  | { readonly error: unknown }
  | { readonly returns: unknown };

/** The cause of `unavailable` that a fault makes. */
export class SimulatedFault extends Error {
  override readonly name = 'SimulatedFault';
}

/** The promise of a call whose outcome never arrives. */
const NEVER = new Promise<never>(() => undefined);

/** Makes a call with a fault. */
export async function callWith(
  fault: CallFault | null,
  { method, args, proceed }: PortCall,
  timer: Pick<Timer, 'pause'>,
): Promise<unknown> {
  const unavailable = (when: string) =>
    err<never, Unavailable>({ type: 'unavailable', cause: new SimulatedFault(`${method} is unavailable ${when}`) });
  if (fault === null) return await proceed(args);
  if (typeof fault === 'object') {
    if ('error' in fault) return err(fault.error);
    if ('returns' in fault) return fault.returns;
    const outcome = await proceed(args);
    await timer.pause(fault.lateMs);
    return outcome;
  }
  switch (fault) {
    case 'hangs':
      return await NEVER;
    case 'done_then_hangs':
      await proceed(args);
      return await NEVER;
    case 'done_twice': {
      const [first] = await Promise.all([proceed(args), proceed(args)]);
      return first;
    }
    case 'unavailable':
      return unavailable('before it was done');
    case 'done_then_unavailable':
      await proceed(args);
      return unavailable('after it was done');
    case 'rolled_back':
      await proceed(withoutWrite(args));
      return unavailable('and was rolled back');
    case 'decided_twice':
      await proceed(withoutWrite(args));
      return await proceed(args);
  }
}

/** Returns the arguments of a transaction that calls the decision and stores nothing. */
function withoutWrite(args: readonly unknown[]): readonly unknown[] {
  const decide = args.at(-1);
  if (!isDecision(decide)) throw new TypeError('only a transaction with a decision can be rolled back');
  return [...args.slice(0, -1), (found: unknown) => ({ ...decide(found), write: null })];
}

function isDecision(argument: unknown): argument is (found: unknown) => object {
  return typeof argument === 'function';
}
