import { Field, TextField } from '../../../../parts/dialog.tsx';
import { useDraft, useFields } from '../../../../parts/draft.ts';
import { clock, day } from '../../../../parts/format.ts';
import { ActionDialog, type ActionProps } from '../action-dialog.tsx';
import { A } from '../texts.ts';
import { ForOwner } from './for-owner.tsx';
import { openOf, Quantities, useQuantities } from './quantities.tsx';

/** Records that items were sent. */
export function Send(props: ActionProps) {
  const { id, items } = props.order;
  const { fields, field, discard } = useFields(`tracking ${id}`, { carrier: '', number: '', url: '' });
  const quantities = useQuantities(`send ${id}`, items, openOf, 'all');
  const given = Object.entries(fields).filter(([, text]) => text !== '');
  return (
    <ActionDialog
      {...props}
      texts={A.send}
      path="/fulfillments"
      body={{ items: quantities.body, ...(given.length > 0 && { tracking: Object.fromEntries(given) }) }}
      discard={() => [quantities.discard(), discard()]}
    >
      <Quantities {...quantities} />
      <div className="grid gap-x-4 md:grid-cols-2">
        <TextField name={A.carrier} maxLength={255} {...field('carrier')} />
        <TextField name={A.tracking} maxLength={255} {...field('number')} />
      </div>
      <TextField name={A.trackingUrl} type="url" maxLength={255} {...field('url')} />
    </ActionDialog>
  );
}

/** Takes back that items were sent. */
export function TakeBack(props: ActionProps) {
  const { id, items, fulfillments } = props.order;
  const [chosen, choose] = useDraft(`take back ${id}`);
  const sent = fulfillments.filter(({ cancelled_at: at }) => at === null);
  const { id: fulfillment = '' } = sent.find((each) => each.id === chosen) ?? sent.at(-1) ?? {};
  const nameOf = (item: string) => items.find((each) => each.id === item)?.name ?? item;
  return (
    <ActionDialog
      {...props}
      texts={A.takeBack}
      path={`/fulfillments/${fulfillment}/cancel`}
      discard={() => choose('')}
      isDanger
    >
      <Field name={A.sent}>
        <select value={fulfillment} onChange={({ target }) => choose(target.value)}>
          {sent.map(({ id: each, created_at: at, items: parts }) => (
            <option key={each} value={each}>
              {`${day(at)} ${clock(at)}: ${parts.map((part) => `${part.quantity} × ${nameOf(part.item_id)}`).join(', ')}`}
            </option>
          ))}
        </select>
      </Field>
    </ActionDialog>
  );
}

/** Records that items came back. */
export function Return(props: ActionProps) {
  const { id, items } = props.order;
  const [reason, setReason] = useDraft(`return reason ${id}`);
  const quantities = useQuantities(
    `return ${id}`,
    items,
    (item) => item.fulfilled_quantity - item.returned_quantity,
    'none',
  );
  return (
    <ActionDialog
      {...props}
      texts={A.return}
      path="/returns"
      body={{ items: quantities.body, ...(reason !== '' && { reason }) }}
      discard={() => [quantities.discard(), setReason('')]}
    >
      <Quantities {...quantities} />
      <ForOwner value={reason} set={setReason} />
    </ActionDialog>
  );
}
