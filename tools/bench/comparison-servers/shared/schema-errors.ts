import type { InvalidField } from './problem.ts';

/** The error codes of the API by JSON Schema keyword. */
const CODES: Readonly<Record<string, string>> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'wrong_type',
  minLength: 'too_short',
  minItems: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  pattern: 'invalid_value',
};

/** An error of a validator of JSON Schema. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
}

/** Returns the invalid fields that the errors of a validator are about. */
export function fieldsOf(errors: readonly SchemaError[]): readonly InvalidField[] {
  return errors.map(({ instancePath, keyword, message = 'is wrong' }) => ({
    field: instancePath
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.'),
    message,
    code: CODES[keyword] ?? 'invalid_value',
  }));
}
