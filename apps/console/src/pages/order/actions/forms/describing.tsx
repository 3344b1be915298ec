import { shellWord } from '../../../../parts/copy.tsx';
import { Field, TextField } from '../../../../parts/dialog.tsx';
import { useDraft, useFields } from '../../../../parts/draft.ts';
import { words } from '../../../../parts/format.ts';
import { ActionDialog, type ActionProps } from '../action-dialog.tsx';
import { A } from '../texts.ts';

const PERSON = ['name', 'company'] as const;
/** What an order has of a person, member by member. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  shipping_address: [...PERSON, 'line1', 'line2', 'postal_code', 'city', 'region', 'country', 'phone'],
  billing_address: [...PERSON, 'line1', 'line2', 'postal_code', 'city', 'region', 'country', 'phone'],
  buyer: [...PERSON, 'email', 'phone', 'tax_id'],
};
const [TEXTS, OBJECTS] = [
  ['reference', 'note', 'customer_id'],
  ['external_ids', 'metadata', 'custom'],
];

/** Changes what an order has besides its lines and its status, one field at a time. */
export function Change(props: ActionProps) {
  const { order } = props;
  const all = [...Object.keys(MEMBERS), ...TEXTS, ...OBJECTS].filter((name) => name in order);
  const { fields, set, discard } = useFields<string>(`change ${order.id}`, { field: 'shipping_address' });
  const { field = '' } = fields;
  const before: unknown = Reflect.get(order, field);
  const members = MEMBERS[field];
  const typedOf = (name: string, value: unknown) =>
    fields[`${field} ${name}`] ?? (typeof value === 'string' ? value : '');
  const object = fields[`${field} json`] ?? JSON.stringify(before, undefined, 2);
  const after = members
    ? Object.fromEntries(members.map((name) => [name, typedOf(name, memberOf(before, name)) || null]))
    : OBJECTS.includes(field)
      ? parsed(object)
      : typedOf('text', before) || null;
  return (
    <ActionDialog
      {...props}
      texts={A.change}
      method="PATCH"
      path=""
      body={{ [field]: patchOf(before, after) }}
      discard={discard}
    >
      <Field name={A.field}>
        <select value={field} onChange={({ target }) => set('field', target.value)}>
          {all.map((name) => (
            <option key={name} value={name}>
              {words(name)}
            </option>
          ))}
        </select>
      </Field>
      {members ? (
        <div className="grid gap-x-4 md:grid-cols-2">
          {members.map((name) => (
            <TextField
              key={name}
              name={words(name)}
              value={typedOf(name, memberOf(before, name))}
              set={(text) => set(`${field} ${name}`, text)}
            />
          ))}
        </div>
      ) : OBJECTS.includes(field) ? (
        <Field name={A.json}>
          <textarea
            rows={8}
            className="font-mono text-xs"
            value={object}
            onChange={({ target }) => {
              target.setCustomValidity(parsed(target.value) === undefined ? A.noJson : '');
              set(`${field} json`, target.value);
            }}
          />
        </Field>
      ) : (
        <TextField name={words(field)} value={typedOf('text', before)} set={(text) => set(`${field} text`, text)} />
      )}
    </ActionDialog>
  );
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : null;
}

/** Returns the JSON of a text; `undefined` for none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the merge patch that makes one value of another: what is missing in the second is removed. */
function patchOf(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, patchOf(before[name], after[name] ?? null)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Leaves a text for other operators. */
export function Comment(props: ActionProps) {
  const { order, owner } = props;
  const [text, setText] = useDraft(`comment ${order.id}`);
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
      discard={() => setText('')}
    >
      <Field name={A.text}>
        <textarea required maxLength={2000} rows={4} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
    </ActionDialog>
  );
}
