import { COUNTRIES, WITHDRAWN_COUNTRIES } from '../shared/countries.ts';
import {
  type Field,
  type FieldsInput,
  type FieldsOf,
  METADATA,
  OPTIONAL_UUID,
  optionalText,
} from '../shared/fields.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { mergedTexts, type TextMembers } from '../shared/merged-fields.ts';
import type { Metadata } from '../shared/metadata.ts';
import { type Address, ADDRESS_MEMBERS, addressMembers, type NewAddress } from './address.ts';
import { type Buyer, BUYER_MEMBERS, type NewBuyer } from './buyer.ts';
import {
  EXTERNAL_ID_LENGTH_MAX,
  EXTERNAL_IDS,
  EXTERNAL_IDS_MAX,
  type ExternalIds,
  type ExternalIdsPatch,
  SYSTEM_LENGTH_MAX,
} from './external-ids.ts';

/** Maximum length of a reference, in Unicode code points. */
export const REFERENCE_LENGTH_MAX = 64;
/** Maximum length of a note, in Unicode code points. */
export const NOTE_LENGTH_MAX = 2000;

/** The values of {@link ORDER_FIELDS}. `null` means not set. */
export interface OrderFields {
  /** Id of a customer of the same owner. */
  readonly customer_id: string | null;
  /** The client's identifier of the order: unique per owner, compared exactly, reusable only after deletion. */
  readonly reference: string | null;
  /** The ids that other systems have for the order, by system: at most {@link EXTERNAL_IDS_MAX}. */
  readonly external_ids: ExternalIds;
  /** Who buys: independent of the customer, so that a guest has none. */
  readonly buyer: Buyer | null;
  readonly shipping_address: Address | null;
  readonly billing_address: Address | null;
  /** Free text of at most {@link NOTE_LENGTH_MAX} characters. */
  readonly note: string | null;
  /** The client's own values by key, at most {@link METADATA_KEYS_MAX}. */
  readonly metadata: Metadata;
}

/** The values of {@link ORDER_FIELDS} in an input. A member that is absent or `null` is not set. */
export interface OrderFieldsInput extends Omit<FieldsInput<OrderFields>, keyof MergedInput>, MergedInput {}

interface MergedInput {
  readonly external_ids?: ExternalIdsPatch | null | undefined;
  readonly buyer?: NewBuyer | null | undefined;
  readonly shipping_address?: NewAddress | null | undefined;
  readonly billing_address?: NewAddress | null | undefined;
}

/** A field of an order with what adapters need to know of it. */
interface OrderField extends Field {
  /** What stores and files keep: a text, or the JSON of an object. */
  readonly type: 'text' | 'object';
  /** Whether it may be personal data, which an erasure clears. Business data is documented as not for it. */
  readonly data: 'personal' | 'business';
  /** The names of the texts of an object that always has the same. */
  readonly members?: readonly string[];
  /** Maximum length of its texts, in Unicode code points, besides metadata. */
  readonly length: number;
}

/** Returns the field of an object of texts, which are personal data. */
function personalTexts<Value extends object>(members: TextMembers<Value>, required: string | null) {
  const length = Object.values<{ max: number }>(members).reduce((sum, { max }) => sum + max, 0);
  const names = Object.keys(members);
  return { ...mergedTexts(members, required), type: 'object', data: 'personal', members: names, length } as const;
}

const ADDRESS = personalTexts<Address>(ADDRESS_MEMBERS, 'country');

/**
 * The fields of an order that clients set whatever its definition: when they place or import it, and by a merge patch. What
 * the domain and its adapters do with a field derives from this table.
 */
export const ORDER_FIELDS = deepFreeze({
  customer_id: { ...OPTIONAL_UUID, type: 'text', data: 'business', length: 0 },
  reference: { ...optionalText(1, REFERENCE_LENGTH_MAX), type: 'text', data: 'business', length: REFERENCE_LENGTH_MAX },
  external_ids: {
    ...EXTERNAL_IDS,
    type: 'object',
    data: 'business',
    length: EXTERNAL_IDS_MAX * (SYSTEM_LENGTH_MAX + EXTERNAL_ID_LENGTH_MAX),
  },
  buyer: personalTexts<Buyer>(BUYER_MEMBERS, null),
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
  note: { ...optionalText(0, NOTE_LENGTH_MAX), type: 'text', data: 'personal', length: NOTE_LENGTH_MAX },
  metadata: { ...METADATA, type: 'object', data: 'personal', length: 0 },
} satisfies FieldsOf<OrderFields> & Readonly<Record<keyof OrderFields, OrderField>>);

const IMPORTED_ADDRESS = personalTexts<Address>(addressMembers(COUNTRIES, WITHDRAWN_COUNTRIES), 'country');

/** {@link ORDER_FIELDS} of an imported order. */
export const IMPORTED_FIELDS = deepFreeze({
  ...ORDER_FIELDS,
  shipping_address: IMPORTED_ADDRESS,
  billing_address: IMPORTED_ADDRESS,
});

/** Returns the values of fields that are not set. */
export function unsetFields(isIncluded: (field: OrderField) => boolean): Readonly<Record<string, unknown>> {
  const included = Object.entries(ORDER_FIELDS).filter(([, field]) => isIncluded(field));
  return Object.fromEntries(included.map(([name, { unset }]) => [name, unset]));
}

/**
 * Returns the members of an order of which nothing is set, in their order. An order that is made of it has that order of
 * members, so that equal ones serialize to the same text.
 */
export function unsetOrder(hasCustom: boolean, noTimes: Readonly<Record<string, null>>) {
  const { metadata, ...fields } = unsetFields(() => true);
  const lists = { items: [], adjustments: [], fulfillments: [] };
  const others = { subtotal: null, total: null, cancel_reason: null, version: 1, created_at: null, updated_at: null };
  const custom = hasCustom ? { custom: null } : {};
  const lastTimes = { corrected_at: null, erased_at: null };
  return { id: null, status: null, ...fields, ...lists, metadata, ...custom, ...others, ...noTimes, ...lastTimes };
}
