import { Field, TextField } from '../../../../parts/dialog.tsx';
import { useFields } from '../../../../parts/draft.ts';
import { AMOUNT, toMinorUnits } from '../../../../parts/format.ts';
import { ActionDialog, type ActionProps } from '../action-dialog.tsx';
import { A } from '../texts.ts';

/** Kinds of adjustments after the placing, and those that are subtracted. */
const [KINDS, SUBTRACTED] = [
  ['refund', 'discount', 'fee', 'shipping', 'tax', 'other'],
  ['refund', 'discount'],
];

/** Adds a refund or a charge. */
export function Adjust(props: ActionProps) {
  const { id, items, total } = props.order;
  const { fields, set, field, discard } = useFields(`adjust ${id}`, { kind: 'refund', name: '', amount: '', line: '' });
  const { kind, name, amount, line } = fields;
  const { currency } = total;
  const minor = toMinorUnits(amount, currency);
  const money = { amount: SUBTRACTED.includes(kind) ? -minor : minor, currency };
  const adjustment = { type: kind, name, amount: money, ...(line !== '' && { item_id: line }) };
  return (
    <ActionDialog
      {...props}
      texts={A.adjust}
      path="/adjustments"
      body={{ adjustments: [adjustment] }}
      discard={discard}
    >
      <div className="grid gap-x-4 md:grid-cols-2">
        <Field name={A.kind}>
          <select value={kind} onChange={({ target }) => set('kind', target.value)}>
            {KINDS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        <TextField name={A.amount(currency)} hint={A.amountHint} required {...AMOUNT} {...field('amount')} />
      </div>
      <TextField name={A.name} hint={A.nameHint} required maxLength={255} {...field('name')} />
      <Field name={A.adjusted}>
        <select value={line} onChange={({ target }) => set('line', target.value)}>
          <option value="">{A.whole}</option>
          {items.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </select>
      </Field>
    </ActionDialog>
  );
}

/** Adds a line to the order. */
export function AddLine(props: ActionProps) {
  const { id, total } = props.order;
  const { currency } = total;
  const { fields, field, discard } = useFields(`line ${id}`, { sku: '', name: '', quantity: '1', price: '' });
  const { sku, name, quantity, price } = fields;
  const unit_price = { amount: toMinorUnits(price, currency), currency };
  return (
    <ActionDialog
      {...props}
      texts={A.addLine}
      path="/items"
      body={{ items: [{ sku, name, quantity: Number(quantity), unit_price }] }}
      discard={discard}
    >
      <TextField name={A.sku} required maxLength={64} {...field('sku')} />
      <TextField name={A.name} hint={A.nameHint} required maxLength={255} {...field('name')} />
      <div className="grid gap-x-4 md:grid-cols-2">
        <TextField name={A.quantity} type="number" required min={1} {...field('quantity')} />
        <TextField name={A.price(currency)} required {...AMOUNT} {...field('price')} />
      </div>
    </ActionDialog>
  );
}
