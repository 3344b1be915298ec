// Draws random mutants: another operator, condition or constant, or a statement less. A seed draws them again.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { root } from './table.mjs';

const PAIRS = ['=== !==', '< <=', '> >=', '&& ||', '+ -', 'and or'].map((pair) => pair.split(' '));
/** What replaces an operator. */
const OPERATORS = new Map([...PAIRS, ...PAIRS.map((pair) => pair.toReversed())]);
/** The operators in the text of an SQL statement. */
const IN_SQL = /(?<= )(?:and|or|<|<=|>|>=)(?= )/g;
/** Types are no code, and what is imported is no value. */
const NO_CODE = /^(?:TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import|ExportAll)/;

/** Returns random mutants of the sources of packages, without the testing kit, each with the tests that may find it. */
export function drawMutants(packages, count, seed) {
  const sources = packages.map((folder) => `${folder}/src/**/*.ts`);
  const draw = (text) => createHash('sha256').update(`${seed} ${text}`).digest('hex');
  return globSync(sources, { cwd: root, exclude: ['**/src/testing/**'] })
    .flatMap(mutantsOf)
    .map((mutant) => ({ ...mutant, drawn: draw(mutant.promise) }))
    .toSorted((left, right) => (left.drawn < right.drawn ? -1 : 1))
    .slice(0, count);
}

function mutantsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const [, folder, within] = /^(.+)\/src\/(.*?)[^/]*$/.exec(file);
  // Those of the same folder find most.
  const tests = [`${within}*.test.ts`, '*.test.ts', '*.deep.test.ts'].map((test) => `${folder}/test/${test}`);
  return changesIn(parseSync(file, text).program, text).map(([start, end, by]) => {
    const place = `${file}:${text.slice(0, start).split('\n').length}, at ${start}`;
    const replacement = text.slice(0, start) + by + text.slice(end);
    return { promise: `${place}: ${text.slice(start, end)} -> ${by}`, file, text, replacement, tests };
  });
}

/** Returns the changes of a node of the syntax and of all below it: from where to where, and what stands there instead. */
function changesIn(node, text) {
  if (NO_CODE.test(node.type)) return [];
  const isCode = ([name]) => name !== 'source' && (name !== 'key' || node.computed);
  const members = Object.entries(node).filter(isCode);
  const below = members.flatMap(([, member]) => member).filter((each) => typeof each?.type === 'string');
  return [...changesOf(node, text), ...below.flatMap((each) => changesIn(each, text))];
}

function changesOf(node, text) {
  const { type, start, end, operator, left, right, test, value, directive } = node;
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const between = text.slice(left.end, right.start);
      const other = OPERATORS.get(operator);
      return other ? [[left.end, right.start, between.replace(operator, other)]] : [];
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      return [[test.start, test.end, `!(${text.slice(test.start, test.end)})`]];
    case 'ExpressionStatement':
      return directive ? [] : [[start, end, ';']];
    case 'Literal':
      if (typeof value === 'number') return [[start, end, `${value + 1}`]];
      if (typeof value === 'boolean') return [[start, end, `${!value}`]];
      return typeof value === 'string' ? [[start, end, value === '' ? `'mutant'` : `''`]] : [];
    case 'TemplateElement':
      return Array.from(text.slice(start, end).matchAll(IN_SQL), ({ 0: found, index }) => {
        return [start + index, start + index + found.length, OPERATORS.get(found)];
      });
    default:
      return [];
  }
}
