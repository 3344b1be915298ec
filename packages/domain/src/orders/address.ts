import { COUNTRIES } from '../shared/countries.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { type TextMembers, textMember } from '../shared/merged-fields.ts';
import { PARTY_NAME_LENGTH_MAX, PARTY_NUMBER_LENGTH_MAX } from './buyer.ts';

/** A postal address in the form of any country. `null` means not set. It is personal data. */
export interface Address {
  readonly name: string | null;
  readonly company: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  /** State, province or county. */
  readonly region: string | null;
  readonly postal_code: string | null;
  /** One of {@link COUNTRIES}; of an imported order, also of {@link WITHDRAWN_COUNTRIES}. */
  readonly country: string;
  readonly phone: string | null;
}

/** {@link Address} as the client sends it. A member that is absent or `null` is not set. */
export type NewAddress = Pick<Address, 'country'> & {
  readonly [Member in Exclude<keyof Address, 'country'>]?: Address[Member] | undefined;
};

/** Returns the members of an {@link Address} in one of some countries. */
export function addressMembers(...countries: readonly ReadonlySet<string>[]): TextMembers<Address> {
  return {
    name: textMember(PARTY_NAME_LENGTH_MAX),
    company: textMember(PARTY_NAME_LENGTH_MAX),
    line1: textMember(255),
    line2: textMember(255),
    city: textMember(100),
    region: textMember(100),
    postal_code: textMember(20),
    country: textMember(2, 2, (input, path, invalid) => {
      if (input === null) return invalid.add(path, 'required', 'is required');
      if (typeof input !== 'string') return invalid.add(path, 'wrong_type', 'must be a string');
      if (countries.some((codes) => codes.has(input))) return input;
      return invalid.add(path, 'invalid_value', 'must be a code of ISO 3166-1 alpha-2 in upper case, such as DE');
    }),
    phone: textMember(PARTY_NUMBER_LENGTH_MAX),
  };
}

/** The members of an {@link Address}. */
export const ADDRESS_MEMBERS = deepFreeze(addressMembers(COUNTRIES));
