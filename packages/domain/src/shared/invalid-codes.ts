/** The machine-readable reasons why a field is invalid. */
export const INVALID_CODES = Object.freeze([
  'required',
  'unknown_field',
  'read_only',
  'wrong_type',
  'too_short',
  'too_long',
  'out_of_range',
  'invalid_format',
  'invalid_value',
  'not_found',
  'taken',
] as const);

/** Machine-readable reason why a field is invalid: one of {@link INVALID_CODES}. */
export type InvalidCode = (typeof INVALID_CODES)[number];
