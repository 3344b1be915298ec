import { createDomain, type Domain, isOwner } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_ID, unreachable } from '../fixtures/a-domain.ts';

it.each([
  ['a', true],
  [' ~', true],
  ['shop 7', true],
  ['o'.repeat(255), true],
  ['', false],
  ['o'.repeat(256), false],
  ['é', false],
  ['tab\t', false],
  ['line\n', false],
  ['\u007f', false],
  [undefined, false],
  [null, false],
  [7, false],
  [['a'], false],
])('an owner is 1 to 255 printable ASCII characters: %j is %s', (name, expected) => {
  expect(isOwner(name)).toBe(expected);
});

/** A use case, without its parameters. */
type UseCase = (...given: never[]) => unknown;

describe('every use case', () => {
  /** Creates a domain whose ports fail the test when they are called. */
  function aClosedDomain() {
    const { orders, customers } = inMemoryStore();
    return createDomain({
      orders: unreachable(orders),
      customers: unreachable(customers),
      clock: fixedClock(),
      ids: { next: () => expect.fail('an id was generated') },
    });
  }

  /** Calls a use case with an owner of any type, as untyped JavaScript can. */
  const call = (useCase: UseCase, owner: unknown): unknown =>
    Reflect.apply(useCase, undefined, [owner, UNKNOWN_ID, {}]);

  const useCasesOf = (domain: Domain): (readonly [string, UseCase])[] =>
    Object.entries(domain).flatMap(([name, useCase]): (readonly [string, UseCase])[] =>
      typeof useCase === 'function' ? [[name, useCase]] : [],
    );

  it.each(useCasesOf(aClosedDomain()))('throws for an invalid owner before it calls a port: %s', (_, useCase) => {
    for (const owner of ['', 'ü', 'o'.repeat(300), 'a\n', undefined, null, 7, {}, ['acme'], Object('acme')]) {
      expect(() => call(useCase, owner)).toThrow(TypeError);
    }
  });

  const { orders, customers } = inMemoryStore();
  const domain = createDomain({ orders, customers, clock: fixedClock(), ids: sequentialIds() });
  it.each(useCasesOf(domain))('accepts a valid owner: %s', (_, useCase) => {
    for (const owner of ['a', 'o'.repeat(255)]) expect(() => call(useCase, owner)).not.toThrow();
  });

  it('throws an error that describes a valid owner, and omits the value', () => {
    const { placeOrder } = aClosedDomain();
    const rule = 'the owner must be a string of 1 to 255 printable ASCII characters, got ';
    expect(() => call(placeOrder, 'zoë@example.com')).toThrow(new TypeError(`${rule}a string of 15`));
    expect(() => call(placeOrder, undefined)).toThrow(new TypeError(`${rule}a value of type undefined`));
  });
});
