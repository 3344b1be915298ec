import { describe, expect, it } from 'vitest';
import { check, WORDS_MAX } from '../src/check.ts';
import { passagesOf } from '../src/passages.ts';

const INSTEAD = '"answer": write "response", "return" or "reply with".';
const LONG = `A sentence of ${Array.from({ length: WORDS_MAX - 2 }, (_, word) => `word${word}`).join(' ')}`;
const TOO_LONG = /A sentence of 31 words, at most 30: "A sentence of word0 word1 word2 word3 word4 …"/;

/** What the check finds in a file with this content, as `line: message`. */
function findingsIn(file: string, content: string, longSentences: readonly string[] = []): string[] {
  return passagesOf(file, content).flatMap((passage) =>
    check(passage, longSentences).map(({ line, message }) => `${line}: ${message}`),
  );
}

describe('the word list', () => {
  it.each([
    ['a paragraph', 'a.md', 'The server sends\nits answer.', [`2: ${INSTEAD}`]],
    ['a table cell', 'a.md', '| x |\n| --- |\n| the answer |', [`3: ${INSTEAD}`]],
    ['a heading', 'a.md', '# x\n\n## The answer', [`3: ${INSTEAD}`]],
    ['a line comment', 'a.ts', 'const x = 1;\n// It is\n// the answer.', [`3: ${INSTEAD}`]],
    [
      'a docstring',
      'a.ts',
      '/**\n * Sends\n * an answer.\n * @returns the answer\n */\nlet x;',
      [`3: ${INSTEAD}`, `4: ${INSTEAD}`],
    ],
    ['a text of a program', 'a.ts', `\nconst text = 'there was no answer';`, [`2: ${INSTEAD}`]],
    ['a template', 'a.ts', '\nconst text = `there was no answer ${more}`;', [`2: ${INSTEAD}`]],
    ['a concatenation', 'a.ts', `const text = 'there is ' + more + ' answer';`, [`1: ${INSTEAD}`]],
    ['the title of a suite', 'a.test.ts', `describe('an answer', () => {});`, [`1: ${INSTEAD}`]],
    ['the title of a test', 'a.test.ts', `it.each([])('sends an answer', () => {});`, [`1: ${INSTEAD}`]],
    ['a description in a document', 'a.json', '{\n  "description": "The answer"\n}', [`2: ${INSTEAD}`]],
    ['a comment of YAML', 'a.yaml', 'a: 1\n# the answer', [`2: ${INSTEAD}`]],
    ['a comment of SQL', 'a.sql', 'select 1\n-- the answer', [`2: ${INSTEAD}`]],
    [
      'an identifier',
      'a.ts',
      'let x;\nconst firstAnswer = 1;',
      ['2: The name "firstAnswer": use "response", "return" or "reply".'],
    ],
    ['the name of a file', 'an-answer.ts', '', ['1: The name "an-answer.ts": use "response", "return" or "reply".']],
  ])('rejects a word in %s', (_, file, content, findings) => {
    expect(findingsIn(file, content)).toEqual(findings);
  });

  it.each([
    ['a code block', 'a.md', 'Text\n\n```sh\nask nobody\n```\n'],
    ['code in a sentence', 'a.md', 'The user `nobody` and the [page](answers.md).'],
    ['a name on the wire', 'a.ts', `const code = 'answer';`],
    ['a statement', 'a.ts', 'const text = `select answer from a table`;'],
    ['markup', 'a.ts', 'const text = `<p>an answer and more</p>`;'],
    ['a longer word', 'a.md', 'Tasks, intelligence and plantains.'],
  ])('accepts %s', (_, file, content) => {
    expect(findingsIn(file, content)).toEqual([]);
  });
});

describe('the length of sentences', () => {
  it('accepts thirty words, and rejects one more', () => {
    expect(findingsIn('a.md', `${LONG}.`)).toEqual([expect.stringMatching(TOO_LONG)]);
    expect(findingsIn('a.md', `${LONG.replace(' word0', '')}.`)).toEqual([]);
  });

  it.each([
    ['a docstring', 'a.ts', `/** Short. ${LONG}. */`],
    ['a text of a program', 'a.ts', `const text = '${LONG}';`],
    ['a list item', 'a.md', `- Short.\n- ${LONG}`],
  ])('covers %s', (_, file, content) => {
    expect(findingsIn(file, content)).toEqual([expect.stringMatching(TOO_LONG)]);
  });

  it.each([
    ['a full stop', `Short. ${LONG.slice(0, -7)}. Short.`],
    ['a list item', `- ${LONG.slice(0, -7)}\n- short`],
    ['a paragraph', `${LONG.slice(0, -7)}\n\nshort`],
  ])('starts over after %s', (_, content) => {
    expect(findingsIn('a.md', content)).toEqual([]);
  });

  it('reports the line that the sentence begins on', () => {
    expect(findingsIn('a.md', `Short.\nShort.\n${LONG}.`)).toEqual([expect.stringMatching(/^3: /)]);
  });

  it('does not take the dot of an abbreviation or of a file name for the end of a sentence', () => {
    const long = LONG.replace('word3', 'e.g.').replace('word5', 'config.json');
    expect(findingsIn('a.md', long)).toHaveLength(1);
  });

  it('exempts a sentence by its beginning', () => {
    expect(findingsIn('a.md', LONG, ['A sentence of word0 word1'])).toEqual([]);
  });
});

describe('the titles of tests', () => {
  it.each([
    'with a key',
    'when it has expired',
    'rejected by the server',
    'of another owner is not found',
    'another owner',
  ])('cannot be "%s"', (title) => {
    expect(findingsIn('a.test.ts', `it('${title}', () => {});`)).toEqual([
      `1: The test title "${title}" needs a subject or a verb in the present tense at its beginning.`,
    ]);
  });

  it.each(['rejects an expired cursor', 'two servers share a limit', 'is rejected', 'a retry cannot fail'])(
    'may be "%s"',
    (title) => {
      expect(findingsIn('a.test.ts', `it('${title}', () => {});`)).toEqual([]);
    },
  );

  it('may be a subject alone in a suite', () => {
    expect(findingsIn('a.test.ts', `describe('an expired key', () => {});`)).toEqual([]);
  });
});
