import { type FormEvent, useRef } from 'react';
import { useDefinition } from '../../api/queries.ts';
import { digestOf, ownerOfDigest } from '../../api/owner-digest.ts';
import { shellWord } from '../../parts/copy.tsx';
import { Field } from '../../parts/dialog.tsx';
import { clock, day, words } from '../../parts/format.ts';
import { fieldOf } from '../../parts/url.ts';
import type { Filter } from './filter.ts';
import { F } from './texts.ts';

/** What the list is filtered by, each with what removes it, and a form for more. */
export function Filters({ filter, change }: { readonly filter: Filter; readonly change: (change: Filter) => void }) {
  const chips = Object.entries({ ...filter, after: undefined }).filter(([, value]) => value !== undefined);
  return (
    <div className="my-4 flex flex-wrap items-start gap-2">
      {chips.map(([name, value]) => (
        <span
          key={name}
          className="inline-flex h-8 items-center gap-1.5 rounded-full border border-line bg-surface pr-1 pl-3 text-sm"
        >
          {chipText(name, String(value))}
          <button
            type="button"
            className="link size-6 rounded-full"
            aria-label={F.remove(chipText(name, String(value)))}
            onClick={() => change({ [name]: undefined })}
          >
            ×
          </button>
        </span>
      ))}
      <More filter={filter} change={change} />
    </div>
  );
}

function chipText(name: string, value: string): string {
  if (name === 'owner') return ownerOfDigest(value) ?? F.otherOwner;
  if (name === 'status') return value.split(',').map(words).join(F.or);
  if (name === 'from' || name === 'before') return `${F.chips[name]} ${day(value)} ${clock(value)}`;
  return `${F.chips[name] ?? ''} ${value}`.trim();
}

function More({ filter, change }: { readonly filter: Filter; readonly change: (change: Filter) => void }) {
  const definition = useDefinition();
  const details = useRef<HTMLDetailsElement>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const text = (name: string) => fieldOf(sent, name);
    const time = (name: string) => {
      const local = text(name);
      return local === undefined ? undefined : new Date(local).toISOString();
    };
    const owner = text('owner');
    change({
      owner: owner === undefined ? undefined : digestOf(owner),
      status:
        sent
          .getAll('status')
          .filter((each) => typeof each === 'string')
          .join(',') || undefined,
      reference: text('reference'),
      from: time('from'),
      before: time('before'),
      currency: text('currency')?.toUpperCase(),
      over: text('over'),
      under: text('under'),
    });
    if (details.current) details.current.open = false;
  };
  const key = JSON.stringify(filter);
  return (
    <details ref={details} className="relative">
      <summary className="flex h-8 cursor-pointer list-none items-center rounded-full border border-dashed border-edge px-3 text-sm text-muted">
        {F.add}
      </summary>
      <form
        key={key}
        className="panel absolute z-10 mt-2 w-[min(420px,calc(100vw-32px))] p-4 shadow-none"
        onSubmit={submit}
      >
        <fieldset>
          <legend className="mb-1 text-sm font-medium">{F.status}</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {definition?.statuses.map(({ status }) => (
              <label key={status} className="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  name="status"
                  value={status}
                  defaultChecked={filter.status?.split(',').includes(status)}
                  className="w-auto!"
                />
                {words(status)}
              </label>
            ))}
          </div>
        </fieldset>
        <Field name={F.owner}>
          <input
            name="owner"
            autoComplete="off"
            defaultValue={filter.owner === undefined ? '' : ownerOfDigest(filter.owner)}
          />
        </Field>
        <div className="grid grid-cols-2 gap-x-4">
          <Field name={F.from}>
            <input type="datetime-local" name="from" defaultValue={localOf(filter.from)} />
          </Field>
          <Field name={F.before}>
            <input type="datetime-local" name="before" defaultValue={localOf(filter.before)} />
          </Field>
        </div>
        <div className="grid grid-cols-3 gap-x-4">
          <Field name={F.over}>
            <input name="over" inputMode="decimal" pattern="\d+([.,]\d+)?" defaultValue={filter.over} />
          </Field>
          <Field name={F.under}>
            <input name="under" inputMode="decimal" pattern="\d+([.,]\d+)?" defaultValue={filter.under} />
          </Field>
          <Field name={F.currency}>
            <input
              name="currency"
              maxLength={3}
              pattern="[A-Za-z]{3}"
              autoComplete="off"
              defaultValue={filter.currency}
            />
          </Field>
        </div>
        <Field name={F.reference}>
          <input name="reference" autoComplete="off" defaultValue={filter.reference} />
        </Field>
        <button type="submit" className="button first mt-4">
          {F.show}
        </button>
      </form>
    </details>
  );
}

/** Returns a time as the field for one has it: in the zone of the operator. */
function localOf(at: string | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the command that finds the same. */
export function commandOf({ status, owner, reference, lookup, from, before, currency, over, under }: Filter): string {
  const options = [
    ['owner', owner === undefined ? undefined : ownerOfDigest(owner)],
    ['status', status],
    ['from', from],
    ['before', before],
    ['currency', currency],
    ['total-from', over],
    ['total-to', under],
  ] as const;
  const words = [
    reference ?? lookup,
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
  return ['orders find', ...words.filter((word) => word !== undefined).map(shellWord)].join(' ');
}
