import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../../docs/performance.md');

/** What an order with a key costs, as a share of the same in Fastify and pg by hand. */
const CREATE_WITH_KEY = /\*\*create with key\*\*\n.*?\| Fastify \+ pg by hand +(?:\|[^|]*){3}\| +([\d.]+) /s;

/** The figures of the first page, from the tables that they link to. */
export default {
  watch: [page],
  load: () => {
    const found = CREATE_WITH_KEY.exec(readFileSync(page, 'utf8'));
    if (!found) throw new Error('docs/performance.md has no figure of a create with key');
    return { share: found[1] };
  },
};
