import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { at, listAt, textAt } from './json.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/reference/errors.md');

/** Returns the page of errors, generated from the API. `vitest run --project http-adapter errors-doc -u` updates it. */
function describeErrors(problems: readonly unknown[], families: readonly unknown[]): string {
  const sections = problems.map((problem) => {
    const heading = `## ${textAt(problem, 'code')}`;
    return `${heading}\n\n${String(at(problem, 'status'))}: ${textAt(problem, 'title')}.\n\n${textAt(problem, 'description')}`;
  });
  const others = families.map((family) => `## ${textAt(family, 'code')}\n\n${textAt(family, 'description')}`);
  return `# Errors

Every response from 400 on is \`application/problem+json\` (RFC 9457). Switch on \`code\`: codes are final, and this is the
complete list. The \`type\` of a problem leads to the same text on the server, below \`/problems\`. Generated from
\`packages/http-adapter/src\`; a test fails when it is out of date.

${[...sections, ...others].join('\n\n')}
`;
}

it('docs/reference/errors.md lists the problems of the API', async () => {
  const { client } = await anApi();
  const { body } = await client().get('/problems', { accept: 'application/json' });
  await expect(describeErrors(listAt(body, 'data'), listAt(body, 'families'))).toMatchFileSnapshot(DOCUMENT);
});
