import type { Played } from './play.ts';
import { seconds } from './progress.ts';

const COLUMNS = ['operations', 'requests', 'sent again', 'replayed', '5xx', 'p50, slowest'] as const;

/** One line for each scenario. */
export function writeTable(played: readonly Played[]): void {
  const rows = [
    ['scenario', 'held', 'took', ...COLUMNS],
    ...played.map(({ name, breaches, tookMs, figures }) => {
      const held = breaches.length === 0 ? 'yes' : 'NO';
      return [name, held, seconds(tookMs), ...COLUMNS.map((column) => figures.get(column) ?? '')];
    }),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  process.stdout.write('\n');
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
