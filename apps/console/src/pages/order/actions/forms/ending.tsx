import { shellWord } from '../../../../parts/copy.tsx';
import { TextField } from '../../../../parts/dialog.tsx';
import { useFields } from '../../../../parts/draft.ts';
import { ActionDialog, type ActionProps } from '../action-dialog.tsx';
import { A } from '../texts.ts';
import { ForOwner } from './for-owner.tsx';
import { openOf, Quantities, useQuantities } from './quantities.tsx';
import { useState } from 'react';

const SCOPES = [
  ['whole', A.whole],
  ['items', A.some],
] as const;

/** Cancels the order, or items of it. */
export function Cancel(props: ActionProps) {
  const { id, items } = props.order;
  const {
    fields: { reason, scope },
    set,
    field,
    discard,
  } = useFields(`cancel ${id}`, { reason: '', scope: 'whole' });
  const quantities = useQuantities(`cancel items ${id}`, items, openOf, 'none');
  const isWhole = scope === 'whole';
  // By a key of the owner, as all commands that call the API.
  const command = () =>
    `ORDERS_API_KEY="$KEY" orders cancel ${id}${reason === '' ? '' : ` --reason ${shellWord(reason)}`}`;
  return (
    <ActionDialog
      {...props}
      texts={isWhole ? A.cancel : { ...A.cancel, ...A.cancelItems }}
      path="/cancel"
      body={{ ...(reason !== '' && { reason }), ...(!isWhole && { items: quantities.body }) }}
      commandOf={isWhole ? command : undefined}
      isDanger
      discard={() => [quantities.discard(), discard()]}
    >
      {quantities.rows.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-sm font-medium">{A.scope}</legend>
          {SCOPES.map(([value, name]) => (
            <label key={value} className="flex items-center gap-2">
              <input
                type="radio"
                name="scope"
                className="w-auto!"
                checked={scope === value}
                onChange={() => set('scope', value)}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      {!isWhole && <Quantities {...quantities} />}
      <ForOwner {...field('reason')} />
    </ActionDialog>
  );
}

/** Deletes the order, whose name is typed to confirm it. */
export function Delete(props: ActionProps) {
  const { id, reference } = props.order;
  const [typed, setTyped] = useState('');
  const name = reference ?? id;
  return (
    <ActionDialog
      {...props}
      texts={A.delete}
      method="DELETE"
      path=""
      discard={() => setTyped('')}
      isDisabled={typed !== name}
      isDanger
    >
      <TextField name={A.confirm(name)} required value={typed} set={setTyped} />
    </ActionDialog>
  );
}
