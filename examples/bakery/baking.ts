import type { CustomData, InvalidField } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';

const ALLERGENS = ['eggs', 'gluten', 'milk', 'nuts', 'sesame'] as const;
const PICK_UP = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

/** What the bakery knows of an order besides its items. */
export interface Baking {
  /** The time of the day at which the order is collected, such as `07:30`. */
  readonly pick_up: string;
  /** What the customer cannot eat. */
  readonly allergens: readonly (typeof ALLERGENS)[number][];
}

/** The custom data of the bakery's orders, by a parser that is written by hand; a schema library can make both. */
export const BAKING: CustomData<Baking> = {
  parse: parseBaking,
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['pick_up'],
    properties: {
      pick_up: { type: 'string', pattern: PICK_UP },
      allergens: { type: 'array', items: { enum: [...ALLERGENS] } },
    },
  },
};

function parseBaking(input: unknown): Result<Baking, readonly InvalidField[]> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return err([{ field: '', code: 'wrong_type', message: 'must be an object' }]);
  const { pick_up, allergens = [], ...unknown }: Readonly<Record<string, unknown>> = { ...input };
  const invalid: InvalidField[] = Object.keys(unknown).map((field) => ({
    field,
    code: 'unknown_field',
    message: 'is not a known field',
  }));
  const time = typeof pick_up === 'string' && new RegExp(PICK_UP).test(pick_up) ? pick_up : undefined;
  if (time === undefined)
    invalid.push({ field: 'pick_up', code: 'invalid_format', message: 'must be a time such as 07:30' });
  const given: readonly unknown[] = Array.isArray(allergens) ? allergens : [undefined];
  const known = ALLERGENS.filter((name) => given.includes(name));
  if (known.length < given.length)
    invalid.push({
      field: 'allergens',
      code: 'invalid_value',
      message: `must be different ones of ${ALLERGENS.join(', ')}`,
    });
  return time === undefined || invalid.length > 0 ? err(invalid) : ok({ pick_up: time, allergens: known });
}
