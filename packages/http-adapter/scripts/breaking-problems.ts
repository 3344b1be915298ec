import { breakingInSchema, type Comparison, flat } from './breaking-schemas.ts';
import { listOf, type Members, membersOf } from './json-values.ts';

/**
 * Returns the changes of the problems of a response that could break a client. A new problem does not: clients handle an
 * unknown code by its status.
 */
export function breakingInProblems(comparison: Comparison, before: unknown, after: unknown, at: string): string[] {
  const [old, now] = [problemsOf(comparison.before, before), problemsOf(comparison.after, after)];
  return [...old].flatMap(([code, schema]) =>
    now.has(code)
      ? breakingInSchema(comparison, schema, now.get(code), `${at} ${String(code)}`)
      : [`${at}: the problem ${String(code)} is gone`],
  );
}

/** Returns the schema of each problem by its code. A schema with an open enumeration of codes is that of each of them. */
function problemsOf(document: unknown, schema: unknown): ReadonlyMap<unknown, Members> {
  const { oneOf } = membersOf(schema);
  const problems = (oneOf === undefined ? [schema] : listOf(oneOf)).map((each) => flat(document, each));
  return new Map(
    problems.flatMap((problem) => {
      const code = membersOf(membersOf(problem['properties'])['code']);
      const codes = 'const' in code ? [code['const']] : listOf(code['x-extensible-enum']);
      return codes.map((value) => [value, withCode(problem, { type: 'string', const: value })]);
    }),
  );
}

function withCode(problem: Members, code: Members): Members {
  return { ...problem, properties: { ...membersOf(problem['properties']), code } };
}
