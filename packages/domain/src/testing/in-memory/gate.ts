import { type Result, ResultAsync } from 'neverthrow';
import { INSIDE_TRANSACTION } from '../../handled-failures.ts';

/** Runs what reads and writes a store. */
export interface Gate {
  read<T, E>(work: () => Result<T, E>): ResultAsync<T, E>;
  write<T, E>(work: () => Result<T, E>): ResultAsync<T, E>;
}

/** Runs `work` at once, as one transaction. An exception is a bug of the caller and rejects the result. */
export function toResultAsync<T, E>(work: () => Result<T, E>): ResultAsync<T, E> {
  return new ResultAsync(new Promise((resolve) => resolve(work())));
}

/** The gate to a transaction. */
export class TransactionGate implements Gate {
  hasEnded = false;

  readonly read = <T, E>(work: () => Result<T, E>): ResultAsync<T, E> =>
    toResultAsync(() => {
      if (this.hasEnded) throw new TypeError('the transaction has ended');
      return work();
    });

  readonly write = this.read;
}

/** The gate to a store. While a transaction is open, others read what was stored before it, and their writes wait. */
export class StoreGate implements Gate {
  #open: Promise<unknown> | null = null;
  readonly #around: AsyncContext<TransactionGate> | undefined = asyncContext();

  read<T, E>(work: () => Result<T, E>): ResultAsync<T, E> {
    return toResultAsync(() => {
      this.#assertOutside();
      return work();
    });
  }

  write<T, E>(work: () => Result<T, E>): ResultAsync<T, E> {
    return this.#open ? new ResultAsync(this.#whenClosed(work)) : this.read(work);
  }

  /** Runs a transaction when it is the only one. */
  async transaction<T>(gate: TransactionGate, work: () => Promise<T>): Promise<T> {
    return await this.#whenClosed(async () => {
      const running = this.#around ? this.#around.run(gate, work) : work();
      this.#open = running.then(
        () => undefined,
        () => undefined,
      );
      try {
        return await running;
      } finally {
        gate.hasEnded = true;
        this.#open = null;
      }
    });
  }

  async #whenClosed<T>(work: () => T): Promise<Awaited<T>> {
    this.#assertOutside();
    while (this.#open) await this.#open;
    return await work();
  }

  #assertOutside(): void {
    if (this.#around?.getStore()?.hasEnded === false) throw new TypeError(INSIDE_TRANSACTION);
  }
}

/** Knows what a call was made by, also after a pause. */
interface AsyncContext<T> {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
}

/** Node.js, Bun and Deno have it, and browsers have not. */
declare const process:
  | { getBuiltinModule?(name: string): { readonly AsyncLocalStorage: new <T>() => AsyncContext<T> } }
  | undefined;

function asyncContext<T>(): AsyncContext<T> | undefined {
  const hooks = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:async_hooks');
  return hooks && new hooks.AsyncLocalStorage<T>();
}
