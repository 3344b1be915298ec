import { isDeepStrictEqual } from 'node:util';

/** An order, or another resource, as the API shows it. */
export type Resource = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export function isResource(input: unknown): input is Resource {
  return (
    isRecord(input) &&
    typeof input['id'] === 'string' &&
    typeof input['version'] === 'number' &&
    typeof input['created_at'] === 'string' &&
    typeof input['updated_at'] === 'string'
  );
}

export function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null;
}

/** Returns the first difference between `found` and the expected members; `undefined` without one. */
export function difference(found: unknown, expected: Readonly<Record<string, unknown>>): string | undefined {
  const given = isRecord(found) ? found : {};
  const members = Object.keys(expected).filter((name) => !isDeepStrictEqual(given[name], expected[name]));
  const [name] = members;
  if (name === undefined) return undefined;
  return `${name} is ${JSON.stringify(given[name])} instead of ${JSON.stringify(expected[name])}`;
}
