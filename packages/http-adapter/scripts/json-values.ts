import { isDeepStrictEqual } from 'node:util';

/** An object of a JSON document. */
export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the elements of `some` that `others` lacks. */
export function missingFrom(others: readonly unknown[], some: readonly unknown[]): readonly unknown[] {
  return some.filter((value) => !others.some((other) => isDeepStrictEqual(value, other)));
}

/** Resolves the reference of `value` within `document`. Other members of `value` override those of the target. */
export function resolved(document: unknown, value: unknown): Members {
  const { $ref, ...own } = membersOf(value);
  if (typeof $ref !== 'string') return own;
  const steps = $ref.slice('#/'.length).split('/');
  const target = steps.reduce<unknown>((found, step) => membersOf(found)[step], document);
  return { ...resolved(document, target), ...own };
}
