import { type FormEvent, useRef, useState } from 'react';
import { useDefinition } from '../../api/queries.ts';
import { digestOf, ownerOfDigest } from '../../api/owner-digest.ts';
import { Chip } from '../../parts/chip.tsx';
import { Field } from '../../parts/dialog.tsx';
import { AMOUNT, clock, day, words } from '../../parts/format.ts';
import { OnDay, TimeRange, timesOf } from '../../parts/time-range.tsx';
import { endFilter, fieldOf } from '../../parts/url.ts';
import type { Filter } from './filter.ts';
import { F } from './texts.ts';

/** What the list is filtered by, each with what removes it, and a form for more. */
export function Filters({ filter, change }: { readonly filter: Filter; readonly change: (change: Filter) => void }) {
  const chips = Object.entries({ ...filter, after: undefined }).filter(([, value]) => value !== undefined);
  return (
    <div className="my-4 flex flex-wrap items-start gap-2">
      {chips.map(([name, value]) => (
        <Chip
          key={name}
          text={chipText(name, String(value))}
          remove={F.remove(chipText(name, String(value)))}
          onRemove={() => change({ [name]: undefined })}
        />
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
  const [isTotal, setTotal] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const text = (name: string) => fieldOf(sent, name);
    const owner = text('owner');
    change({
      owner: owner === undefined ? undefined : digestOf(owner),
      status:
        sent
          .getAll('status')
          .filter((each) => typeof each === 'string')
          .join(',') || undefined,
      reference: text('reference'),
      ...timesOf(sent),
      currency: text('currency')?.toUpperCase(),
      over: text('over'),
      under: text('under'),
    });
    endFilter(details.current);
  };
  const key = JSON.stringify(filter);
  return (
    <details ref={details} className="relative" data-filter>
      <summary className="chip-add">{F.add}</summary>
      <form
        key={key}
        className="panel absolute z-10 mt-2 w-[min(420px,calc(100vw-32px))] p-4 shadow-none"
        onInput={({ currentTarget }) => {
          const sent = new FormData(currentTarget);
          setTotal((fieldOf(sent, 'over') ?? fieldOf(sent, 'under')) !== undefined);
        }}
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
        <div className="grid grid-cols-2 gap-x-4">
          <Field name={F.owner}>
            <input name="owner" autoComplete="off" defaultValue={filter.owner && ownerOfDigest(filter.owner)} />
          </Field>
          <OnDay name={F.day} />
        </div>
        <div className="grid grid-cols-3 gap-x-4">
          <Field name={F.over}>
            <input name="over" {...AMOUNT} defaultValue={filter.over} />
          </Field>
          <Field name={F.under}>
            <input name="under" {...AMOUNT} defaultValue={filter.under} />
          </Field>
          <Field name={F.currency}>
            <input
              name="currency"
              required={isTotal}
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
        <TimeRange names={F} from={filter.from} before={filter.before} />
        <button type="submit" className="button first mt-4">
          {F.show}
        </button>
      </form>
    </details>
  );
}
