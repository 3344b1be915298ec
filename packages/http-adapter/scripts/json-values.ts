import { isDeepStrictEqual } from 'node:util';

/** An object of a JSON document. */
export type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** Returns the members of an object or an array, none of another value. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the elements of `some` that `others` lacks. */
export function missingFrom(others: readonly unknown[], some: readonly unknown[]): readonly unknown[] {
  return some.filter((value) => !others.some((other) => isDeepStrictEqual(value, other)));
}

/** Returns the headers of a response: its own, and those that the document states once for every response. */
export function headersOf(document: unknown, response: Members): Members {
  return { ...membersOf(membersOf(document)['x-response-headers']), ...membersOf(response['headers']) };
}

/** Resolves the reference of `value` within `document`. Other members of `value` override those of the target. */
export function resolved(document: unknown, value: unknown): Members {
  const { $ref, ...own } = membersOf(value);
  if (typeof $ref !== 'string') return own;
  const steps = $ref.slice('#/'.length).split('/');
  const target = steps.reduce<unknown>((found, step) => membersOf(found)[step], document);
  return { ...resolved(document, target), ...own };
}
