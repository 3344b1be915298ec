import { EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN } from '../customers/customer.ts';
import { readEmail } from '../customers/customer-details.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { type TextMembers, textMember } from '../shared/merged-fields.ts';

/** Maximum length of the name of a person or company, in Unicode code points. */
export const PARTY_NAME_LENGTH_MAX = 255;
/** Maximum length of a phone number and of a tax id, in Unicode code points. */
export const PARTY_NUMBER_LENGTH_MAX = 40;

/** Who buys. `null` means not set; at least one member is set. It is personal data. */
export interface Buyer {
  readonly name: string | null;
  readonly company: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly tax_id: string | null;
}

/** {@link Buyer} as the client sends it. A member that is absent or `null` is not set. */
export type NewBuyer = { readonly [Member in keyof Buyer]?: Buyer[Member] | undefined };

/** The members of a {@link Buyer}. */
export const BUYER_MEMBERS: TextMembers<Buyer> = deepFreeze({
  name: textMember(PARTY_NAME_LENGTH_MAX),
  company: textMember(PARTY_NAME_LENGTH_MAX),
  email: textMember(EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN, readEmail),
  phone: textMember(PARTY_NUMBER_LENGTH_MAX),
  tax_id: textMember(PARTY_NUMBER_LENGTH_MAX),
});
