import { TextField } from '../../../../parts/dialog.tsx';
import { A } from '../texts.ts';

/** The reason that is part of the order. */
export function ForOwner(field: { readonly value: string; readonly set: (text: string) => void }) {
  return <TextField name={A.forOwner} hint={A.forOwnerHint} maxLength={500} {...field} />;
}
