import { Link } from '@tanstack/react-router';
import { useDefinition } from '../../api/queries.ts';
import type { FiguresRow } from '../../api/types.ts';
import { clock, day, words } from '../../parts/format.ts';
import { count } from '../../texts.ts';
import { type Interval, shownTimes } from './data.ts';
import { V } from './texts.ts';

/** The width of the chart, and of a bar with its gap, in its own units. */
const [WIDTH, GAP] = [960, 8];

interface PerTimeProps {
  readonly by: Interval;
  readonly owners: number;
  readonly figures: readonly FiguresRow[];
}

/** Bars of the orders that were placed in each hour or day, with the table of all statuses beside them. */
export function PerTime({ by, owners, figures }: PerTimeProps) {
  const statuses = ['placed', ...(useDefinition()?.statuses.map(({ status }) => status) ?? [])].filter((status) =>
    figures.some((row) => row.status === status),
  );
  const nameOf = (start: number) => {
    const at = new Date(start).toISOString();
    return by === 'day' ? day(at) : `${day(at)} ${clock(at)}`;
  };
  const rows = shownTimes(by)
    .slice(0, -1)
    .map((start) => {
      const here = figures.filter((row) => Date.parse(row.start) === start);
      const of = (status: string) => here.reduce((sum, row) => (row.status === status ? sum + row.orders : sum), 0);
      return { start, name: nameOf(start), placed: of('placed'), entered: statuses.map(of) };
    });
  const most = Math.max(1, ...rows.map(({ placed }) => placed));
  const step = WIDTH / rows.length;
  return (
    <section className="panel p-4">
      <p className="mb-3 flex flex-wrap justify-between gap-x-4 text-muted">
        {V.of(owners)}
        <Link to="/overview" search={by === 'day' ? {} : { by: 'day' }} resetScroll={false} data-row data-act>
          {V.instead[by]}
        </Link>
      </p>
      <svg viewBox={`0 0 ${WIDTH} 160`} role="img" aria-label={V.peak(by, most)} className="w-full">
        {rows.map(({ start, name, placed }, index) => (
          <rect
            key={start}
            x={index * step + GAP / 2}
            y={150 - (140 * placed) / most}
            width={step - GAP}
            height={(140 * placed) / most + 2}
            rx="2"
            className="fill-muted"
          >
            <title>{`${name}: ${count(placed, 'order')}`}</title>
          </rect>
        ))}
        <path d={`M0 152h${WIDTH}`} className="stroke-line" />
      </svg>
      <p className="flex justify-between text-xs text-muted">
        <span>{rows[0]?.name}</span>
        <span>{rows.at(-1)?.name}</span>
      </p>
      <details className="mt-2 text-sm" open={by === 'day'} key={by}>
        <summary className="link">{V.asTable}</summary>
        <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={V.placed[by]}>
          <table className="mt-2 w-full">
            <thead>
              <tr className="text-xs text-muted">
                <th className="py-1 pr-4 text-left font-medium">{V.times[by]}</th>
                {statuses.map((status) => (
                  <th key={status} className="px-2 text-right font-medium">
                    {words(status)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ start, name, entered }) => (
                <tr key={start} className="border-t border-line">
                  <td className="py-1 pr-4 whitespace-nowrap">{name}</td>
                  {entered.map((orders, index) => (
                    <td key={statuses[index]} className="px-2 text-right">
                      {orders.toLocaleString('en')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
