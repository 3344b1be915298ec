import type { Domain } from '@orders/domain';
import { type Result, ResultAsync } from 'neverthrow';

/** Watches use cases. What it makes when one begins it is handed again when that one ends. */
export interface UseCaseObserver<State> {
  readonly begin: (useCase: string) => State;
  /** `outcome` is `ok`, `replayed`, the type of the error, or `thrown` for a bug. */
  readonly end: (useCase: string, state: State, outcome: string) => void;
}

/** The same use cases, each of them watched, whichever there are. They answer with the very results of `domain`. */
export function observed<State>(domain: Domain, observer: UseCaseObserver<State>): Domain {
  return mapMembers(domain, (name, useCase) => observedUseCase(name, useCase, observer));
}

// A proxy, because it has the type of what is behind it, whatever that takes and gives.
function observedUseCase<UseCase extends Domain[keyof Domain], State>(
  name: string,
  useCase: UseCase,
  observer: UseCaseObserver<State>,
): UseCase {
  return new Proxy(useCase, {
    apply: (target, self, given) => {
      const state = observer.begin(name);
      try {
        const result: unknown = Reflect.apply(target, self, given);
        if (result instanceof ResultAsync) void endWith(result, name, observer, state);
        return result;
      } catch (cause) {
        observer.end(name, state, 'thrown');
        throw cause;
      }
    },
  });
}

/** Waits beside whoever waits for `result`, to whom it leaves a rejection. */
function endWith<State>(
  result: ResultAsync<unknown, unknown>,
  name: string,
  observer: UseCaseObserver<State>,
  state: State,
): PromiseLike<void> {
  return result.then(
    (settled) => observer.end(name, state, outcomeOf(settled)),
    () => observer.end(name, state, 'thrown'),
  );
}

function outcomeOf(settled: Result<unknown, unknown>): string {
  if (settled.isErr())
    return isObject(settled.error) && 'type' in settled.error ? String(settled.error.type) : 'unknown';
  return isObject(settled.value) && 'replayed' in settled.value && settled.value.replayed === true ? 'replayed' : 'ok';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function mapMembers<T extends object>(object: T, map: <K extends keyof T>(name: string, member: T[K]) => T[K]): T {
  const mapped = { ...object };
  for (const name in mapped) mapped[name] = map(name, mapped[name]);
  return mapped;
}
