import { useRef } from 'react';
import { Field } from './dialog.tsx';
import { fieldOf } from './url.ts';
import { day } from './format.ts';

/** The days that are one click away. */
const DAYS = 8;

interface TimeRangeProps {
  readonly names: { readonly from: string; readonly before: string; readonly days: string };
  readonly from: string | undefined;
  readonly before: string | undefined;
}

/** The fields of a form for a time from and up to, in the zone of the operator, and the last days to choose one from. */
export function TimeRange({ names, from, before }: TimeRangeProps) {
  const [begin, end] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const choose = (start: Date) => {
    if (begin.current) begin.current.value = localOf(start);
    if (end.current) end.current.value = localOf(dayAfter(start, 1));
  };
  const midnight = new Date(new Date().toDateString());
  return (
    <>
      <div className="grid grid-cols-2 gap-x-4">
        <Field name={names.from}>
          <input ref={begin} type="datetime-local" name="from" defaultValue={from && localOf(new Date(from))} />
        </Field>
        <Field name={names.before}>
          <input ref={end} type="datetime-local" name="before" defaultValue={before && localOf(new Date(before))} />
        </Field>
      </div>
      <p role="group" aria-label={names.days} className="mt-1 flex flex-wrap gap-x-3 text-sm">
        {Array.from({ length: DAYS }, (_, past) => dayAfter(midnight, -past)).map((start) => (
          <button key={start.getTime()} type="button" className="link" onClick={() => choose(start)}>
            {day(start.toISOString())}
          </button>
        ))}
      </p>
    </>
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

/** Returns the same time of a day later; a day may have 23 hours. */
function dayAfter(time: Date, days: number): Date {
  const other = new Date(time);
  other.setDate(other.getDate() + days);
  return other;
}

/** Returns a time as the field for one has it: in the zone of the operator. */
function localOf(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
