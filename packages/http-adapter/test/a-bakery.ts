import { defineOrders, type InvalidField } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { isRecord } from './json.ts';

/** What a bakery knows of an order besides its items. */
interface Baking {
  readonly pick_up: { readonly at: string; readonly shop?: string };
  readonly allergens?: readonly string[];
}

const PICK_UP = /^[0-9]{2}:[0-9]{2}$/;

function parseBaking(input: unknown): Result<Baking, readonly InvalidField[]> {
  if (!isRecord(input)) return err([{ field: '', code: 'wrong_type', message: 'must be an object' }]);
  const { pick_up: pickUp, allergens, ...others } = input;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return err([{ field: unknown, code: 'unknown_field', message: 'is unknown' }]);
  if (!isRecord(pickUp) || typeof pickUp['at'] !== 'string' || !PICK_UP.test(pickUp['at']))
    return err([{ field: 'pick_up.at', code: 'invalid_format', message: 'must be a time such as 07:30' }]);
  const { at, shop } = pickUp;
  if (shop !== undefined && typeof shop !== 'string')
    return err([{ field: 'pick_up.shop', code: 'wrong_type', message: 'must be a string' }]);
  if (allergens !== undefined && !isListOfTexts(allergens))
    return err([{ field: 'allergens', code: 'wrong_type', message: 'must be an array of strings' }]);
  return ok({ pick_up: { at, ...(shop !== undefined && { shop }) }, ...(allergens && { allergens }) });
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** The orders of a bakery. Their statuses, and the parts of the schema, have names that nothing else in the API has. */
export const BAKERY = defineOrders({
  lifecycle: {
    received: ['baking', 'binned'],
    baking: ['ready', 'binned'],
    ready: ['collected'],
    collected: [],
    binned: [],
  },
  initial: 'received',
  cancel: 'binned',
  custom: {
    parse: parseBaking,
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://bakery.example/baking',
      title: 'Baking',
      type: 'object',
      required: ['pick_up'],
      additionalProperties: false,
      properties: {
        pick_up: { $ref: '#/$defs/PickUp' },
        allergens: { type: 'array', maxItems: 14, items: { $ref: 'https://bakery.example/baking#/$defs/Allergen' } },
      },
      $defs: {
        // The title of a component of the document.
        PickUp: {
          title: 'Order',
          type: 'object',
          required: ['at'],
          additionalProperties: false,
          properties: {
            at: { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}$', maxLength: 5 },
            shop: { type: 'string', pattern: '^[A-Za-z ]*$', maxLength: 30 },
          },
        },
        Allergen: { type: 'string', pattern: '^[a-z ]+$', maxLength: 30 },
      },
      examples: [{ pick_up: { at: '07:30' }, allergens: ['rye'] }],
    },
  },
});
