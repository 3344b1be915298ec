import { useDefinition } from '../../../api/queries.ts';
import type { LineItem } from '../../../api/types.ts';
import { shellWord } from '../../../parts/copy.tsx';
import { Field } from '../../../parts/dialog.tsx';
import { useDraft } from '../../../parts/draft.ts';
import { toMinorUnits, words } from '../../../parts/format.ts';
import { ActionDialog, type ActionProps } from './action-dialog.tsx';
import { A } from './texts.ts';

/** The quantities that were typed for items, in place of `initial`. */
function useQuantities(
  key: string,
  items: readonly LineItem[],
  mostOf: (item: LineItem) => number,
  initial: 'all' | 'none',
) {
  const [text, setText] = useDraft(key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below
  const typed = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, number>>;
  const rows = items.flatMap((item) => {
    const most = mostOf(item);
    return most === 0 ? [] : [{ item, most, quantity: typed[item.id] ?? (initial === 'all' ? most : 0) }];
  });
  return {
    rows,
    set: (id: string, quantity: number) => setText(JSON.stringify({ ...typed, [id]: quantity })),
    body: rows.filter(({ quantity }) => quantity > 0).map(({ item, quantity }) => ({ item_id: item.id, quantity })),
    discard: () => setText(''),
  };
}

function Quantities({ rows, set }: Pick<ReturnType<typeof useQuantities>, 'rows' | 'set'>) {
  return (
    <ul className="mt-3 grid gap-2">
      {rows.map(({ item, most, quantity }) => (
        <li key={item.id} className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            {item.name} <span className="id text-muted">{item.sku}</span>
          </span>
          <span className="flex items-center gap-2 whitespace-nowrap">
            <input
              type="number"
              min={0}
              max={most}
              className="w-20! text-right"
              aria-label={A.quantityOf(item.name, most)}
              value={quantity}
              onChange={({ target }) => set(item.id, target.valueAsNumber || 0)}
            />
            <span className="w-10 text-muted">
              {A.of} {most}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

const openOf = (item: LineItem) => item.quantity - item.fulfilled_quantity - item.cancelled_quantity;

/** Records that items were sent. */
export function Fulfill(props: ActionProps) {
  const { order } = props;
  const [carrier, setCarrier] = useDraft(`carrier ${order.id}`);
  const [number, setNumber] = useDraft(`tracking ${order.id}`);
  const quantities = useQuantities(`send ${order.id}`, order.items, openOf, 'all');
  const tracking =
    carrier === '' && number === '' ? {} : { tracking: { carrier: carrier || null, number: number || null } };
  const discard = () => [quantities.discard(), setCarrier(''), setNumber('')];
  return (
    <ActionDialog
      {...props}
      texts={A.fulfill}
      path="/fulfillments"
      body={{ items: quantities.body, ...tracking }}
      discard={discard}
    >
      <Quantities {...quantities} />
      <div className="grid gap-x-4 md:grid-cols-2">
        <Field name={A.carrier}>
          <input
            value={carrier}
            onChange={({ target }) => setCarrier(target.value)}
            maxLength={255}
            autoComplete="off"
          />
        </Field>
        <Field name={A.tracking}>
          <input value={number} onChange={({ target }) => setNumber(target.value)} maxLength={255} autoComplete="off" />
        </Field>
      </div>
    </ActionDialog>
  );
}

/** Records that items came back. */
export function Return(props: ActionProps) {
  const { order } = props;
  const [reason, setReason] = useDraft(`return reason ${order.id}`);
  const quantities = useQuantities(
    `return ${order.id}`,
    order.items,
    (item) => item.fulfilled_quantity - item.returned_quantity,
    'none',
  );
  const body = { items: quantities.body, ...(reason !== '' && { reason }) };
  return (
    <ActionDialog
      {...props}
      texts={A.return}
      path="/returns"
      body={body}
      discard={() => [quantities.discard(), setReason('')]}
    >
      <Quantities {...quantities} />
      <ForOwner reason={reason} setReason={setReason} />
    </ActionDialog>
  );
}

/** Cancels the order, or items of it. */
export function Cancel(props: ActionProps) {
  const { order } = props;
  const [reason, setReason] = useDraft(`cancel reason ${order.id}`);
  const [scope, setScope] = useDraft(`cancel scope ${order.id}`);
  const quantities = useQuantities(`cancel ${order.id}`, order.items, openOf, 'none');
  const isWhole = scope === '';
  const body = { ...(reason !== '' && { reason }), ...(!isWhole && { items: quantities.body }) };
  // By a key of the owner, as all commands that call the API.
  const command = () =>
    `ORDERS_API_KEY="$KEY" orders cancel ${order.id}${reason === '' ? '' : ` --reason ${shellWord(reason)}`}`;
  return (
    <ActionDialog
      {...props}
      texts={isWhole ? A.cancel : { ...A.cancel, ...A.cancelItems }}
      path="/cancel"
      body={body}
      commandOf={isWhole ? command : undefined}
      isDanger
      discard={() => [quantities.discard(), setReason(''), setScope('')]}
    >
      {quantities.rows.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-sm font-medium">{A.scope}</legend>
          {[
            ['', A.whole],
            ['items', A.some],
          ].map(([value, name]) => (
            <label key={value} className="flex items-center gap-2">
              <input
                type="radio"
                name="scope"
                className="w-auto!"
                checked={scope === value}
                onChange={() => setScope(value ?? '')}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      {!isWhole && <Quantities {...quantities} />}
      <ForOwner reason={reason} setReason={setReason} />
    </ActionDialog>
  );
}

function ForOwner({ reason, setReason }: { readonly reason: string; readonly setReason: (text: string) => void }) {
  return (
    <Field name={A.forOwner} hint={A.forOwnerHint}>
      <input value={reason} onChange={({ target }) => setReason(target.value)} maxLength={500} autoComplete="off" />
    </Field>
  );
}

/** Kinds of adjustments after the placing, and those that are subtracted. */
const [KINDS, SUBTRACTED] = [
  ['refund', 'discount', 'fee', 'shipping', 'tax', 'other'],
  ['refund', 'discount'],
];

/** Adds a refund or a charge. */
export function Adjust(props: ActionProps) {
  const { order } = props;
  const [kind, setKind] = useDraft(`kind ${order.id}`, 'refund');
  const [name, setName] = useDraft(`name ${order.id}`);
  const [amount, setAmount] = useDraft(`amount ${order.id}`);
  const { currency } = order.total;
  const minor = toMinorUnits(amount, currency);
  const isLess = SUBTRACTED.includes(kind);
  const body = { adjustments: [{ type: kind, name, amount: { amount: isLess ? -minor : minor, currency } }] };
  return (
    <ActionDialog
      {...props}
      texts={A.adjust}
      path="/adjustments"
      body={body}
      discard={() => [setKind(''), setName(''), setAmount('')]}
    >
      <div className="grid gap-x-4 md:grid-cols-2">
        <Field name={A.kind}>
          <select value={kind} onChange={({ target }) => setKind(target.value)}>
            {KINDS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        <Field name={A.amount(currency)} hint={A.amountHint}>
          <input
            required
            inputMode="decimal"
            pattern="\d+([.,]\d+)?"
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
            autoComplete="off"
          />
        </Field>
      </div>
      <Field name={A.name} hint={A.nameHint}>
        <input
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
          autoComplete="off"
        />
      </Field>
    </ActionDialog>
  );
}

/** Leaves a text for other operators. */
export function Comment(props: ActionProps) {
  const { order, owner } = props;
  const [text, setText] = useDraft(`comment ${order.id}`);
  const discard = () => setText('');
  return (
    <ActionDialog
      {...props}
      texts={A.comment}
      root="/admin/v1"
      path="/comments"
      body={{ text }}
      // A text may begin as an option does.
      commandOf={() => `orders comment --owner ${shellWord(owner)} -- ${order.id} ${shellWord(text)}`}
      ownReason="comment"
      discard={discard}
    >
      <Field name={A.text}>
        <textarea required maxLength={2000} rows={4} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
    </ActionDialog>
  );
}

/** Moves the order to a status that its lifecycle allows next. */
export function ChangeStatus(props: ActionProps) {
  const cancel = useDefinition()?.cancel;
  const next = props.order.available_transitions.filter((status) => status !== cancel);
  return <StatusForm {...props} texts={A.status} statuses={next} method="PATCH" path="" />;
}

/** Moves the order to a status that its lifecycle does not allow. */
export function Correct(props: ActionProps) {
  const { id, status: current, available_transitions: allowed } = props.order;
  const all = useDefinition()?.statuses.map(({ status }) => status) ?? [];
  const others = all.filter((status) => status !== current && !allowed.includes(status));
  const command = (status: string, reason: string) =>
    `orders correct ${id} --owner ${shellWord(props.owner)} --status ${status} --reason ${shellWord(reason)}`;
  return (
    <StatusForm
      {...props}
      texts={A.correct}
      statuses={others}
      command={command}
      root="/admin/v1"
      path="/corrections"
      isDanger
    />
  );
}

interface StatusFormProps extends Omit<
  Parameters<typeof ActionDialog>[0],
  'body' | 'commandOf' | 'discard' | 'children'
> {
  readonly statuses: readonly string[];
  readonly command?: (status: string, reason: string) => string;
}

function StatusForm({ statuses, command, ...props }: StatusFormProps) {
  const [chosen, setChosen] = useDraft(`status ${props.order.id} ${props.path}`);
  const status = statuses.includes(chosen) ? chosen : (statuses[0] ?? '');
  const commandOf = command && ((reason: string) => command(status, reason));
  return (
    <ActionDialog {...props} body={{ status }} commandOf={commandOf} discard={() => setChosen('')}>
      <Field name={A.to}>
        <select value={status} onChange={({ target }) => setChosen(target.value)}>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </select>
      </Field>
    </ActionDialog>
  );
}
