/**
 * Assertions of the contract tests. They replace `node:assert`, which browsers lack and which compares prototypes: Jest
 * runs modules in a separate realm, where equal values of two realms would differ.
 */

/** A failed assertion, with the members by which test runners recognise it and print a difference. */
class AssertionError extends Error {
  override readonly name = 'AssertionError';
  readonly code = 'ERR_ASSERTION';
  readonly operator: string;
  readonly actual: unknown;
  readonly expected: unknown;
  readonly generatedMessage = false;

  constructor(message: string, operator: string, actual?: unknown, expected?: unknown) {
    super(message);
    this.operator = operator;
    this.actual = actual;
    this.expected = expected;
  }
}

/** Fails the running test. */
export function fail(message: string): never {
  throw new AssertionError(message, 'fail');
}

/** Fails the running test unless `condition` holds. */
export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message, 'ok', condition, true);
}

/** Fails the running test unless both values are identical (`Object.is`). */
export function equal(actual: unknown, expected: unknown, message?: string): void {
  if (Object.is(actual, expected)) return;
  throw new AssertionError(describeDifference(actual, expected, message), 'strictEqual', actual, expected);
}

/**
 * Fails the running test unless both values are deeply equal. Arrays are compared by their elements, objects of any
 * realm by their own members in any order, and all other values by `Object.is`.
 */
export function deepEqual<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  if (isDeepEqual(actual, expected)) return;
  throw new AssertionError(describeDifference(actual, expected, message), 'deepStrictEqual', actual, expected);
}

function isDeepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right) || typeTag(left) !== typeTag(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isDeepEqual(left[key], right[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns `array`, `object`, or any other value itself: a Date or a Map has no members and equals only itself. */
function typeTag(value: object): string | object {
  if (Array.isArray(value)) return 'array';
  const tag = Object.prototype.toString.call(value);
  return tag === '[object Object]' ? 'object' : value;
}

function describeDifference(actual: unknown, expected: unknown, message?: string): string {
  const difference = `expected ${toText(expected)}, got ${toText(actual)}`;
  return message === undefined ? difference : `${message}: ${difference}`;
}

/** Returns a value as JSON, or `undefined`, which JSON cannot represent, as text. */
function toText(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
