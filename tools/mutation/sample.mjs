// Prints COUNT random pieces of ten lines of the domain for `--mutate`, without its testing kit. A seed draws them again.
//   node tools/mutation/sample.mjs [COUNT] [SEED]
import { createHash, randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';

const LINES = 10;
const [count = '40', seed = randomUUID()] = process.argv.slice(2);
const pieces = globSync('packages/domain/src/**/*.ts', { exclude: ['packages/domain/src/testing/**'] }).flatMap(
  (file) =>
    Array.from({ length: Math.ceil(readFileSync(file, 'utf8').split('\n').length / LINES) }, (_, index) => {
      const from = index * LINES + 1;
      return `${file}:${from}-${from + LINES - 1}`;
    }),
);
const draw = (piece) => createHash('sha256').update(`${seed} ${piece}`).digest('hex');
const drawn = pieces
  .map((piece) => ({ piece, at: draw(piece) }))
  .toSorted((left, right) => (left.at < right.at ? -1 : 1));
console.error(`seed ${seed}`);
console.log(
  drawn
    .slice(0, Number(count))
    .map(({ piece }) => piece)
    .join(),
);
