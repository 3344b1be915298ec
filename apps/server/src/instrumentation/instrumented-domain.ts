import type { Domain, OrderDefinition } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import { type Result, ResultAsync } from 'neverthrow';

/** Observes the start and the end of each use case. The state that `begin` returns is passed to `end`. */
export interface UseCaseObserver<State> {
  readonly begin: (useCase: string) => State;
  /** Receives the outcome: `ok`, `replayed`, the type of the error, or `thrown` for a bug; and the value of a success. */
  readonly end: (useCase: string, state: State, outcome: string, value?: unknown) => void;
}

/** Returns the same use cases, each reported to `observer`. Their results are the unchanged results of `domain`. */
export function instrumentedDomain<D extends OrderDefinition, State>(
  domain: Domain<D>,
  observer: UseCaseObserver<State>,
): Domain<D> {
  const { definition, ...useCases } = domain;
  return { definition, ...mapMembers(useCases, (name, useCase) => instrumentedUseCase(name, useCase, observer)) };
}

/** Returns the same feed, with each read reported to `observer` as the use case `readEvents`. Waits are not reported. */
export function instrumentedFeed<D extends OrderDefinition, State>(
  feed: EventFeed<D>,
  observer: UseCaseObserver<State>,
): EventFeed<D> {
  const read: EventFeed<D>['read'] = (owner, query) => feed.read(owner, query);
  return {
    read: instrumentedUseCase('readEvents', read, observer),
    wait: (owner, position, options) => feed.wait(owner, position, options),
  };
}

// A proxy keeps the type of its target, whatever its parameters and result.
function instrumentedUseCase<UseCase extends (...given: never[]) => unknown, State>(
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

/** Reports the end of `result`. Its other handlers receive the rejection. */
function endWith<State>(
  result: ResultAsync<unknown, unknown>,
  name: string,
  observer: UseCaseObserver<State>,
  state: State,
): PromiseLike<void> {
  return result.then(
    (settled) => observer.end(name, state, outcomeOf(settled), settled.unwrapOr(undefined)),
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
