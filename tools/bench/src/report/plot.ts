import { CASE_NAMES, type CaseName, CASES } from '../cases/cases.ts';
import { windowsOf } from '../comparison/goals.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Results } from '../comparison/results.ts';
import { spreadOf } from '../statistics.ts';
import { SUBJECT_NAMES, SUBJECTS } from '../comparison/subjects.ts';

const WIDTH = 860;
const LABELS = 190;
const NUMBERS = 90;
const ROW = 20;
const TITLE = 34;
const HEAD = 56;

/** Returns a plot of the CPU time per request as stacked bars of server and PostgreSQL, with one block for each case. */
export function plotOf(results: Results): string {
  const block = TITLE + SUBJECT_NAMES.length * ROW;
  const blocks = CASE_NAMES.map((name, index) => plotCase(results, name, HEAD + index * block));
  const height = HEAD + CASE_NAMES.length * block + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>CPU time per request of the server and of PostgreSQL, in microseconds</title>
<style>
  text { fill: #1f2328 } .server { fill: #0a7d6c } .postgres { fill: #8fb8de } .ours { font-weight: 600 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .server { fill: #2fb5a0 } .postgres { fill: #4a78a8 } }
</style>
<text x="8" y="20" font-size="15" font-weight="600">CPU time per request, µs, ${CONNECTIONS} connections (median)</text>
<rect class="server" x="8" y="32" width="12" height="12"/><text x="26" y="42">server</text>
<rect class="postgres" x="88" y="32" width="12" height="12"/><text x="106" y="42">PostgreSQL</text>
${blocks.join('\n')}
</svg>
`;
}

function plotCase(results: Results, name: CaseName, top: number): string {
  const bars = SUBJECT_NAMES.map((subject) => {
    const windows = windowsOf(results, subject, name, CONNECTIONS);
    const server = spreadOf(windows.map((window) => window.server)).median;
    const postgres = spreadOf(windows.map((window) => window.postgres)).median;
    return { subject, server, postgres };
  });
  const scale = (WIDTH - LABELS - NUMBERS) / Math.max(...bars.map(({ server, postgres }) => server + postgres));
  const rows = bars.map(({ subject, server, postgres }, index) => {
    const y = top + TITLE + index * ROW;
    const middle = LABELS + server * scale;
    const end = middle + postgres * scale;
    const ours = subject === 'orders' ? ' class="ours"' : '';
    return `<text${ours} x="${LABELS - 8}" y="${y + 9}" text-anchor="end">${SUBJECTS[subject].title}</text>
<rect class="server" x="${LABELS}" y="${y - 2}" width="${px(server * scale)}" height="14"/>
<rect class="postgres" x="${px(middle)}" y="${y - 2}" width="${px(postgres * scale)}" height="14"/>
<text${ours} x="${px(end + 6)}" y="${y + 9}">${(server + postgres).toFixed(0)}</text>`;
  });
  return [`<text x="8" y="${top + TITLE - 12}" font-weight="600">${CASES[name].title}</text>`, ...rows].join('\n');
}

function px(value: number): string {
  return value.toFixed(1);
}
