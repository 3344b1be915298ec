import { type FormEvent, useRef } from 'react';
import { Chip } from '../../parts/chip.tsx';
import { Field } from '../../parts/dialog.tsx';
import { clock, day } from '../../parts/format.ts';
import { OnDay, TimeRange, timesOf } from '../../parts/time-range.tsx';
import { endFilter, fieldOf } from '../../parts/url.ts';
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
    const sent = new FormData(event.currentTarget);
    change({ status: fieldOf(sent, 'status'), ...timesOf(sent) });
    endFilter(details.current);
  };
  return (
    <>
      {(['from', 'before'] as const).map((end) => {
        const at = filter[end];
        if (at === undefined) return null;
        const text = `${W.time[end]} ${day(at)} ${clock(at)}`;
        return (
          <Chip key={end} text={text} remove={W.time.remove(text)} onRemove={() => change({ [end]: undefined })} />
        );
      })}
      <details ref={details} className="relative" data-filter>
        <summary className="chip-add">{W.time.add}</summary>
        <form
          key={`${status} ${filter.from} ${filter.before}`}
          className="panel absolute z-10 mt-2 w-[min(420px,calc(100vw-32px))] p-4 md:right-0"
          onSubmit={submit}
        >
          <div className="grid grid-cols-2 gap-x-4">
            <Field name={W.show}>
              <select name="status" defaultValue={status}>
                {STATUSES.map((each) => (
                  <option key={each} value={each}>
                    {W.kinds[each]}
                  </option>
                ))}
              </select>
            </Field>
            <OnDay name={W.time.day} />
          </div>
          <TimeRange names={W.time} from={filter.from} before={filter.before} />
          <button type="submit" className="button first mt-4">
            {W.time.done}
          </button>
        </form>
      </details>
    </>
  );
}
