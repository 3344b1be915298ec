import { isDeepStrictEqual } from 'node:util';

/** An operation of the document. */
export interface DescribedOperation {
  readonly parameters: readonly unknown[];
  readonly [member: string]: unknown;
}

/** Returns the operations of a path, by method. The path has the parameters that all of them share. */
export function pathItem(
  operations: readonly (readonly [string, DescribedOperation])[],
): Readonly<Record<string, unknown>> {
  const [first, ...others] = operations.map(([, { parameters }]) => parameters);
  if (!first || others.length === 0) return Object.fromEntries(operations);
  const has = (parameters: readonly unknown[], parameter: unknown) =>
    parameters.some((each) => isDeepStrictEqual(each, parameter));
  const shared = first.filter((parameter) => others.every((parameters) => has(parameters, parameter)));
  const own = operations.map(([method, operation]) => {
    const { parameters, ...members } = operation;
    const rest = parameters.filter((parameter) => !has(shared, parameter));
    // Also an empty list: the Swagger UI finds no operation that leaves its parameters out beside those of a path.
    return [method, { ...members, parameters: rest }] as const;
  });
  return { parameters: shared, ...Object.fromEntries(own) };
}
