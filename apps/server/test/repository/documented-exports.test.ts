import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { entryPoints } from './entry-points.ts';

type Node = Readonly<Record<string, unknown>>;

/** Returns the exports of a file, each with the preceding comment. */
function exportsOf(path: string, source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const { body } = parseAst(source, { lang: 'ts' });
  for (const statement of body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const comment = commentBefore(source, statement.start);
    // The first of several overloads has the docstring.
    for (const name of namesOf(statement.declaration)) if (!found.has(name)) found.set(name, comment);
    if (typeof statement.source?.value !== 'string') continue;
    const from = join(dirname(path), statement.source.value);
    const there = exportsOf(from, readFileSync(from, 'utf8'));
    for (const { local } of statement.specifiers) {
      const name = local.type === 'Identifier' ? local.name : '';
      found.set(name, there.get(name) ?? '');
    }
  }
  return found;
}

function namesOf(declaration: unknown): readonly string[] {
  if (!isNode(declaration)) return [];
  const declared = Array.isArray(declaration['declarations']) ? declaration['declarations'] : [declaration];
  return declared.flatMap((each: unknown) => (isNode(each) && isNode(each['id']) ? [String(each['id']['name'])] : []));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Returns the comment that ends where a declaration starts. */
function commentBefore(source: string, start: number): string {
  return /\/\*\*(?:(?!\*\/).)*\*\/\s*$/s.exec(source.slice(0, start))?.[0] ?? '';
}

describe('an export of a package', () => {
  it.each(entryPoints())('has a docstring: $specifier', ({ source }) => {
    const exported = [...exportsOf(source, readFileSync(source, 'utf8'))];
    expect(exported.length).toBeGreaterThan(1);
    expect(exported.filter(([, comment]) => comment === '').map(([name]) => name)).toEqual([]);
  });

  it('is checked at its declaration', () => {
    const source = `
      /** Known. */
      export const known = 1;
      export const unknown = 2;
      /** Of another one. */
      const other = 3;
      export interface Unknown {}`;
    expect([...exportsOf('injected.ts', source)].filter(([, comment]) => comment === '')).toEqual([
      ['unknown', ''],
      ['Unknown', ''],
    ]);
  });
});
