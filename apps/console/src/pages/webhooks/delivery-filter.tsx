import { type FormEvent, useRef } from 'react';
import { Chip } from '../../parts/chip.tsx';
import { clock, day } from '../../parts/format.ts';
import { TimeRange, timesOf } from '../../parts/time-range.tsx';
import { type DeliveryFilter, type DeliveryStatus, STATUSES } from './data.ts';
import { W } from './texts.ts';

interface DeliveryFilterProps {
  readonly filter: DeliveryFilter;
  readonly status: DeliveryStatus;
  readonly change: (change: DeliveryFilter) => void;
}

/** Which deliveries are listed: by status, and by the time of their event. */
export function DeliveryFilters({ filter, status, change }: DeliveryFilterProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change(timesOf(new FormData(event.currentTarget)));
    if (details.current) details.current.open = false;
  };
  return (
    <>
      <label className="flex items-center gap-2 text-sm text-muted">
        {W.show}
        <select className="w-auto!" value={status} onChange={({ target }) => change({ status: target.value })}>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {W.kinds[each]}
            </option>
          ))}
        </select>
      </label>
      {(['from', 'before'] as const).map((end) => {
        const at = filter[end];
        if (at === undefined) return null;
        const text = `${W.time[end]} ${day(at)} ${clock(at)}`;
        return (
          <Chip key={end} text={text} remove={W.time.remove(text)} onRemove={() => change({ [end]: undefined })} />
        );
      })}
      <details ref={details} className="relative">
        <summary className="chip-add">{W.time.add}</summary>
        <form
          key={`${filter.from} ${filter.before}`}
          className="panel absolute right-0 z-10 mt-2 w-[min(420px,calc(100vw-32px))] p-4"
          onSubmit={submit}
        >
          <TimeRange names={W.time} from={filter.from} before={filter.before} />
          <button type="submit" className="button first mt-4">
            {W.time.done}
          </button>
        </form>
      </details>
    </>
  );
}
