import type { FiguresRow } from '../../api/types.ts';
import { clock, day } from '../../parts/format.ts';
import { count } from '../../texts.ts';
import { shownHours } from './data.ts';
import { V } from './texts.ts';

/** Bars of the orders that were placed in each hour, with the table beside them. */
export function PerHour({ owners, figures }: { readonly owners: number; readonly figures: readonly FiguresRow[] }) {
  const placed = figures.filter(({ status }) => status === 'placed');
  const hours = shownHours().map((start) => ({
    start: new Date(start).toISOString(),
    orders: placed.reduce((sum, row) => (Date.parse(row.start) === start ? sum + row.orders : sum), 0),
  }));
  const most = Math.max(1, ...hours.map(({ orders }) => orders));
  return (
    <section className="panel p-4">
      <p className="mb-3 text-muted">{V.of(owners)}</p>
      <svg viewBox="0 0 960 160" role="img" aria-label={V.peak(most)} className="w-full">
        {hours.map(({ start, orders }, index) => (
          <rect
            key={start}
            x={index * 40 + 4}
            y={150 - (140 * orders) / most}
            width="32"
            height={(140 * orders) / most + 2}
            rx="2"
            className="fill-muted"
          >
            <title>{`${day(start)} ${clock(start)}: ${count(orders, 'order')}`}</title>
          </rect>
        ))}
        <path d="M0 152h960" className="stroke-line" />
      </svg>
      <p className="flex justify-between text-xs text-muted">
        <span>{`${day(hours[0]?.start ?? '')} ${clock(hours[0]?.start ?? '')}`}</span>
        <span>{clock(hours.at(-1)?.start ?? '')}</span>
      </p>
      <details className="mt-2 text-sm">
        <summary className="link">{V.asTable}</summary>
        <table className="rows mt-2">
          <thead>
            <tr>
              <th>{V.hour}</th>
              <th className="num">{V.orders}</th>
            </tr>
          </thead>
          <tbody>
            {hours.map(({ start, orders }) => (
              <tr key={start}>
                <td>{`${day(start)} ${clock(start)}`}</td>
                <td className="num">{orders}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
