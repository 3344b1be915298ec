// The table of mutants: mistakes that break a promise each, beside the tests that must fail by them. It has a part in each
// package, `mutants.yaml`, in which a file of the repository has rows with these members.
//
// - promise: what no longer holds, in words
// - text: what the file has once; absent when the mutant is a file that does not exist otherwise
// - replacement: what stands there instead
// - test: the file of tests that must fail, or a script of tools/checks. Default: the contracts of the in-memory store.
// - says: a text that the failure contains, or several. Default: none.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const root = join(import.meta.dirname, '../..');
export const CONTRACTS = 'packages/domain/test/testing/in-memory/contracts.test.ts';

/** Returns the rows of all parts, each with its file, the part that it is in and what runs its test. */
export function readTable() {
  return globSync('{apps,packages,tools}/*/{,test/}mutants.yaml', { cwd: root }).flatMap((part) =>
    Object.entries(parse(readFileSync(join(root, part), 'utf8'))).flatMap(([file, rows]) =>
      rows.map(({ test = CONTRACTS, ...row }) => ({ ...row, test, file, part, tests: [test] })),
    ),
  );
}

/** Returns the source of a file with a mutant in it, or `undefined` when its text is not there once. */
export function mutated(source, { text, replacement }) {
  if (text === undefined) return replacement;
  const parts = source.split(text);
  return parts.length === 2 ? parts.join(replacement) : undefined;
}

/** Checks whether a mutant can be made, and whether the file of its test exists. */
export function isApplicable({ file, test = '', ...row }) {
  const path = join(root, file);
  if (test.endsWith('.test.ts') && !existsSync(join(root, test))) return false;
  if (row.text === undefined) return !existsSync(path);
  return existsSync(path) && mutated(readFileSync(path, 'utf8'), row) !== undefined;
}
