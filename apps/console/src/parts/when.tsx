import { clock, day, relative } from './format.ts';

/** A time in the zone of the operator; UTC and how long ago in its title. */
export function When({
  at,
  seconds = false,
  date = true,
}: {
  readonly at: string;
  readonly seconds?: boolean;
  readonly date?: boolean;
}) {
  return (
    <time dateTime={at} title={`${at} (UTC), ${relative(at)}`} className="whitespace-nowrap">
      {date && `${day(at)} `}
      {clock(at, { seconds })}
    </time>
  );
}
