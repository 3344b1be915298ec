import type { CustomerRepository, OrderRepository, Page, PageQuery, Sort } from '@orders/domain';
import { inMemoryStore, type OpenSubject, type StoreSubject, type TestRunner } from '@orders/domain/testing';
import { expect, it } from 'vitest';

/** The methods that a fault replaces in a correct store. */
interface Faulty {
  readonly orders?: Partial<OrderRepository>;
  readonly customers?: Partial<CustomerRepository>;
  readonly events?: StoreSubject['events'];
}

/**
 * A fault of an adapter: what it does wrong, how to inject it, and the title of a contract test that must fail. The error
 * message of that test is given if the compared values do not explain the failure.
 */
export type Fault = readonly [
  does: string,
  inject: (correct: StoreSubject) => Faulty,
  detectedBy: RegExp,
  message?: RegExp,
];

/** A {@link Fault} of an adapter of any port. */
export type FaultOf<Subject> = readonly [
  does: string,
  inject: (correct: Subject) => Subject,
  detectedBy: RegExp,
  message?: RegExp,
];

type Contract<Subject> = (runner: TestRunner, open: () => Subject) => void;

/** Registers a test for each fault, which checks that the expected contract test fails with the fault injected. */
export function itCatches(contract: (runner: TestRunner, open: OpenSubject) => void, faults: readonly Fault[]): void {
  const injected = faults.map(([does, inject, ...detection]): FaultOf<StoreSubject> => [
    does,
    (correct) => withFault(correct, inject),
    ...detection,
  ]);
  itCatchesFaults(contract, aCorrectStore, injected);
}

/** Does the same for the contract of any port, whose correct adapter `aCorrect` returns. */
export function itCatchesFaults<Subject>(
  contract: Contract<Subject>,
  aCorrect: () => Subject,
  faults: readonly FaultOf<Subject>[],
): void {
  it('passes with a correct adapter', async () => {
    expect(await failingTests(contract, aCorrect, /./)).toEqual([]);
  });

  const rows = faults.map(([does, inject, detectedBy, message = /./]) => ({ does, inject, detectedBy, message }));
  it.each(rows)('fails with an adapter that $does', async ({ inject, detectedBy, message }) => {
    const failures = await failingTests(contract, () => inject(aCorrect()), detectedBy);
    expect(failures).toContainEqual(expect.stringMatching(message));
  });
}

function aCorrectStore(): StoreSubject {
  const { orders, customers, events } = inMemoryStore();
  return { orders, customers, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

function withFault(correct: StoreSubject, inject: (correct: StoreSubject) => Faulty): StoreSubject {
  const { orders, customers, events = (owner) => correct.events(owner) } = inject(correct);
  return { orders: { ...correct.orders, ...orders }, customers: { ...correct.customers, ...customers }, events };
}

/** Runs the contract tests with matching titles on the subject that `open` returns, and returns their failures. */
async function failingTests<Subject>(
  contract: Contract<Subject>,
  open: () => Subject,
  matching: RegExp,
): Promise<readonly string[]> {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  const around: string[] = [];
  const describe = (name: string, body: () => void): void => {
    around.push(name);
    body();
    around.pop();
  };
  contract({ describe, it: (name, run) => tests.push({ title: [...around, name].join(' '), run }) }, open);
  const failures: string[] = [];
  for (const { title, run } of tests.filter((test) => matching.test(test.title))) {
    await run().catch((error: unknown) => {
      // Any other error is a bug of the injected fault itself. A failed unwrap throws a value that is not an Error.
      if (error instanceof Error && error.name !== 'AssertionError') throw error;
      failures.push(`${title}: ${error instanceof Error ? error.message : 'unexpected error'}`);
    });
  }
  return failures;
}

/** The owner of each aggregate, for adapters that look up by id alone. */
export class OwnersById {
  readonly #owners = new Map<string, string>();

  note(id: string, owner: string): void {
    this.#owners.set(id, owner);
  }

  of(id: string, otherwise: string): string {
    return this.#owners.get(id) ?? otherwise;
  }

  all(): readonly string[] {
    return [...new Set(this.#owners.values())];
  }
}

interface Listed {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Returns the end position of a page whose last element is `last`. */
export function positionOf(last: Listed | undefined, sort: Sort): { value: string; id: string } | null {
  return last ? { value: timeOf(last, sort), id: last.id } : null;
}

function timeOf({ created_at, updated_at }: Listed, sort: Sort): string {
  return sort.endsWith('created_at') ? created_at : updated_at;
}

/** Returns a page of `all` with replaceable rules for the order of equal times and for the start after a position. */
export function pageOf<T extends Listed>(
  all: readonly T[],
  { sort, after, offset, limit }: PageQuery,
  tie: (direction: number) => number,
  isBehind: (byTime: number, byId: number) => boolean = (byTime, byId) => (byTime || byId) > 0,
): Page<T, string> {
  const direction = sort.startsWith('-') ? -1 : 1;
  const byTime = (left: string, right: string) => direction * compare(left, right);
  const byId = (left: string, right: string) => tie(direction) * compare(left, right);
  const rest = all
    .toSorted((left, right) => byTime(timeOf(left, sort), timeOf(right, sort)) || byId(left.id, right.id))
    .filter((one) => after === null || isBehind(byTime(timeOf(one, sort), after.value), byId(one.id, after.id)))
    .slice(offset);
  const data = rest.slice(0, limit);
  return { data, next: data.length < rest.length ? positionOf(data.at(-1), sort) : null };
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
