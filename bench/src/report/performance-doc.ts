import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../../docs');

/** Replaces a generated section of `docs/performance.md`, between two marks. The text around it is written by hand. */
export async function writeSection(name: 'comparison' | 'scale', text: string): Promise<void> {
  const path = join(DOCS, 'performance.md');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const document = await readFile(path, 'utf8');
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${path} has no marks for ${name}`);
  await writeFile(path, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

export async function writePlot(svg: string): Promise<void> {
  await writeFile(join(DOCS, 'performance.svg'), svg);
}
