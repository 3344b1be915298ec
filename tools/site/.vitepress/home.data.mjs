import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../../docs/performance.md');

/** The figures of the first page, from the tables that they link to. */
export default {
  watch: [page],
  load: () => {
    const [, share] =
      /\*\*create with key\*\*\n.*?\| Fastify \+ pg by hand +(?:\|[^|]*){3}\| +([\d.]+) /s.exec(
        readFileSync(page, 'utf8'),
      ) ?? [];
    if (share === undefined) throw new Error('docs/performance.md has no figure of a create with key');
    return { share };
  },
};
