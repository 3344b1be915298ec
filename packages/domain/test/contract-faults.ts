import type { CustomerRepository, Idempotency, OrderRepository, Page, PageQuery, Sort } from '@orders/domain';
import { inMemoryStore, type OpenSubject, type StoreSubject, type TestRunner } from '@orders/domain/testing';
import { expect, it } from 'vitest';

/** What a fault puts in the place of the correct store's methods. */
interface Faulty {
  readonly orders?: Partial<OrderRepository>;
  readonly customers?: Partial<CustomerRepository>;
  readonly events?: StoreSubject['events'];
}

/**
 * What an adapter does wrong, how it comes to do so, the title of a test that is there to notice, and what that test is
 * to say of it, where the values alone would not explain it.
 */
export type Fault = readonly [
  does: string,
  plant: (correct: StoreSubject) => Faulty,
  noticedBy: RegExp,
  saying?: RegExp,
];

type Contract = (runner: TestRunner, open: OpenSubject) => void;

/** Registers a test for each fault: the contract must turn red with it, where it is meant to. */
export function itCatches(contract: Contract, faults: readonly Fault[]): void {
  it('is green with a correct adapter', async () => {
    expect(await redTests(contract, aCorrectStore, /./)).toEqual([]);
  });

  const rows = faults.map(([does, plant, noticedBy, saying = /./]) => ({ does, plant, noticedBy, saying }));
  it.each(rows)('is red with an adapter that $does', async ({ plant, noticedBy, saying }) => {
    const red = await redTests(contract, () => withFault(aCorrectStore(), plant), noticedBy);
    expect(red).toContainEqual(expect.stringMatching(saying));
  });
}

function aCorrectStore(): StoreSubject {
  const { orders, customers, events } = inMemoryStore();
  return { orders, customers, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

function withFault(correct: StoreSubject, plant: (correct: StoreSubject) => Faulty): StoreSubject {
  const { orders, customers, events = (owner) => correct.events(owner) } = plant(correct);
  return { orders: { ...correct.orders, ...orders }, customers: { ...correct.customers, ...customers }, events };
}

/** Of the contract's tests whose titles match, what those say that fail with the store that `open` gives. */
async function redTests(contract: Contract, open: OpenSubject, matching: RegExp): Promise<readonly string[]> {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  const around: string[] = [];
  const describe = (name: string, body: () => void): void => {
    around.push(name);
    body();
    around.pop();
  };
  contract({ describe, it: (name, run) => tests.push({ title: [...around, name].join(' '), run }) }, open);
  const red: string[] = [];
  for (const { title, run } of tests.filter((test) => matching.test(test.title))) {
    await run().catch((error: unknown) => {
      // Any other error is a mistake of the planted fault, and proves nothing. A failed unwrap throws no Error.
      if (error instanceof Error && error.name !== 'AssertionError') throw error;
      red.push(`${title}: ${error instanceof Error ? error.message : 'refused'}`);
    });
  }
  return red;
}

/** Whose each aggregate is, for adapters that look by the id alone. */
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

/** The keys that an adapter has seen, beside the correct store's. */
export class KeyTable {
  readonly #taken = new Set<string>();

  has(owner: string, { key }: Idempotency): boolean {
    return this.#taken.has(`${owner}: ${key}`);
  }

  take(owner: string, { key }: Idempotency): void {
    this.#taken.add(`${owner}: ${key}`);
  }
}

/** Whether `error`, which may be one of the contract's own, is the port's refusal of this `type`. */
export function isRefusal(error: unknown, type: string): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === type;
}

interface Listed {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Where a page that ends with `last` ends. */
export function positionOf(last: Listed | undefined, sort: Sort): { value: string; id: string } | null {
  return last ? { value: timeOf(last, sort), id: last.id } : null;
}

function timeOf({ created_at, updated_at }: Listed, sort: Sort): string {
  return sort.endsWith('created_at') ? created_at : updated_at;
}

/** A page of `all` by rules of its own: how ids decide between equal times, and what is behind a position. */
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
