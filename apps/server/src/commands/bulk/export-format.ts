import { printable } from '../../terminal.ts';
import type { Exported } from './exported-pages.ts';

/** How an export is written. */
export interface ExportFormat {
  /** The text before everything else. */
  readonly head: string;
  readonly textOf: (page: readonly Exported[]) => string;
}

/** One JSON object a line, with its `kind` as the first member. `import` reads it. */
export const NDJSON: ExportFormat = {
  head: '',
  textOf: (page) => page.map(({ kind, value }) => `${printable(JSON.stringify({ kind, ...value }))}\n`).join(''),
};
