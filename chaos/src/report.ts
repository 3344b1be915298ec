import type { Played } from './play.ts';

/** How often progress is told where one line cannot take another's place, in milliseconds. */
const LINE_MS = 5000;

/** Shows how far a scenario is: on a terminal always, in a log now and then. */
export function showProgress(begun: number) {
  const { stderr } = process;
  let [text, shown] = ['', ''];
  const show = () => {
    const line = `  ${seconds(performance.now() - begun)}  ${text}`;
    if (stderr.isTTY) stderr.write(`\r\u001b[K${line}`);
    else if (text !== shown) stderr.write(`${line}\n`);
    shown = text;
  };
  const timer = setInterval(show, stderr.isTTY ? 250 : LINE_MS);
  return {
    progress: (now: string) => {
      text = now;
    },
    stopProgress: () => {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}

/** Seconds, for people. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

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
