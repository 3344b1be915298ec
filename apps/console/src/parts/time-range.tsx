import type { ChangeEvent } from 'react';
import { Field } from './dialog.tsx';
import { day } from './format.ts';
import { fieldOf } from './url.ts';

/** The days that can be chosen by name. */
const DAYS = 8;

interface TimeRangeProps {
  readonly names: { readonly from: string; readonly before: string };
  readonly from: string | undefined;
  readonly before: string | undefined;
}

/** The fields of a form for a time from and up to, in the zone of the operator. */
export function TimeRange({ names, from, before }: TimeRangeProps) {
  return (
    <div className="grid grid-cols-2 gap-x-4">
      <Field name={names.from}>
        <input type="datetime-local" name="from" defaultValue={from && localOf(new Date(from))} />
      </Field>
      <Field name={names.before}>
        <input type="datetime-local" name="before" defaultValue={before && localOf(new Date(before))} />
      </Field>
    </div>
  );
}

/** A field of a form that fills in those of the time: one of the last days. */
export function OnDay({ name }: { readonly name: string }) {
  const midnight = new Date(new Date().toDateString());
  const choose = ({ target: { value, form } }: ChangeEvent<HTMLSelectElement>) => {
    const past = Number(value);
    const times =
      value === '' ? ['', ''] : [localOf(daysAfter(midnight, -past)), localOf(daysAfter(midnight, 1 - past))];
    for (const [index, end] of ['from', 'before'].entries()) {
      const field = form?.elements.namedItem(end);
      if (field instanceof HTMLInputElement) field.value = times[index] ?? '';
    }
  };
  return (
    <Field name={name}>
      <select defaultValue="" onChange={choose}>
        <option value="" />
        {Array.from({ length: DAYS }, (_, past) => (
          <option key={past} value={past}>
            {day(daysAfter(midnight, -past).toISOString())}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Returns the ends of the time in a sent form, in UTC. */
export function timesOf(form: FormData): { readonly from: string | undefined; readonly before: string | undefined } {
  const read = (name: string) => {
    const local = fieldOf(form, name);
    return local === undefined ? undefined : new Date(local).toISOString();
  };
  return { from: read('from'), before: read('before') };
}

/** Returns the same time of another day; a day may have 23 hours. */
function daysAfter(time: Date, days: number): Date {
  const other = new Date(time);
  other.setDate(other.getDate() + days);
  return other;
}

/** Returns a time as the field for one has it: in the zone of the operator. */
function localOf(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
