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
  const found = findDifference(actual, expected);
  if (found === null) return;
  const place = found.path && `at ${found.path}`;
  const text = describeDifference(
    found.actual,
    found.expected,
    [message, place].filter(Boolean).join(', ') || undefined,
  );
  throw new AssertionError(text, 'deepStrictEqual', shorten(found.actual), shorten(found.expected));
}

interface Difference {
  /** Such as `data[3].id`; empty for the values themselves. */
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Returns the first difference: a member, or the values themselves if they are lists with other elements. */
function findDifference(actual: unknown, expected: unknown, path = ''): Difference | null {
  if (Object.is(actual, expected)) return null;
  const here = { path, actual, expected };
  if (!isObject(actual) || !isObject(expected) || typeTag(actual) !== typeTag(expected)) return here;
  if (isOtherError(actual, expected)) return here;
  const keys = Object.keys(actual);
  const others = Object.keys(expected).filter((key) => !Object.hasOwn(actual, key));
  // Of a list, the missing elements are seen in the whole.
  if (Array.isArray(actual) && (others.length > 0 || keys.some((key) => !Object.hasOwn(expected, key)))) return here;
  for (const key of [...keys, ...others]) {
    const step = Array.isArray(actual) ? `[${key}]` : `${path && '.'}${key}`;
    const place = `${path}${step}`;
    const difference = findDifference(actual[key], expected[key], place);
    if (difference) return difference;
    if (Object.hasOwn(actual, key) !== Object.hasOwn(expected, key))
      return { path: `${place}, whether there is one`, actual: key in actual, expected: key in expected };
  }
  return null;
}

/** Checks whether two values are errors of different types, of which all other members say why. */
function isOtherError({ type }: Readonly<Record<string, unknown>>, expected: object): boolean {
  return !isVersioned(expected) && 'type' in expected && expected.type !== type;
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

/** Maximum length of a value in a message, in characters. */
const TEXT_LENGTH_MAX = 500;

/**
 * Returns an order or its like by its id and version, a list of them by their ids, and an error by its message: the rest would
 * hide what is wrong. Any other value stays.
 */
function shorten(value: unknown): unknown {
  if (value instanceof Error) return String(value);
  if (Array.isArray(value)) return value.every(isVersioned) ? value.map(({ id }) => id) : value;
  return isVersioned(value) ? { id: value.id, version: value.version } : value;
}

function isVersioned(value: unknown): value is { readonly id: string; readonly version: number } {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['version'] === 'number';
}

/** Returns a value as JSON of at most {@link TEXT_LENGTH_MAX} characters, in which orders and their like are short. */
export function toText(value: unknown): string {
  // JSON cannot represent `undefined`.
  const text = value === undefined ? 'undefined' : JSON.stringify(value, (_, member: unknown) => shorten(member));
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
}
