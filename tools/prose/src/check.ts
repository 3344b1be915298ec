import type { Finding, Passage } from './passage.ts';
import { AVOIDED_IN_IDENTIFIERS, AVOIDED_IN_TEXT } from './word-list.ts';

/** Sentences are better under 25 words; the check leaves a few more to a list. */
export const WORDS_MAX = 30;

// A circumstance or a participle.
const NO_TITLE_START =
  /^(?:(?:and|but|or|so|with|without|of|when|while|after|before|until|in|on|at|for|from|to|by|as|if|even|also|too|not|than|once|only if|only when)|\p{L}+ed)\s/iu;
// A verb in the present tense ends in -s, or stands behind a plural, which does; the rest is listed.
const MAY_BE_VERB = /(?:s|can|cannot|may|must|will|never|not|are|do|have)$/iu;

/** What is wrong with a passage. Sentences are exempt that begin as one of `exempt` does. */
export function check(passage: Passage, exempt: readonly string[] = []): Finding[] {
  if (passage.kind === 'identifier') return checkIdentifier(passage);
  const words = AVOIDED_IN_TEXT.flatMap(({ word, instead }) =>
    Array.from(passage.text.matchAll(word), (match) => ({
      line: lineAt(passage, match.index),
      message: `"${match[0]}": write ${instead}.`,
    })),
  );
  return [...words, ...checkSentences(passage, exempt), ...(passage.kind === 'test title' ? checkTitle(passage) : [])];
}

function checkIdentifier({ text, line }: Passage): Finding[] {
  const words = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu) ?? [];
  return AVOIDED_IN_IDENTIFIERS.flatMap(({ word, instead }) =>
    words.some((part) => word.test(part)) ? [{ line, message: `The name "${text}": use ${instead}.` }] : [],
  );
}

/** A title states subject and behaviour. That it does can only be denied of a title without any word for either. */
function checkTitle({ text, line }: Passage): Finding[] {
  const starts = !NO_TITLE_START.test(text) && wordsOf(text).some((word) => MAY_BE_VERB.test(word));
  if (starts) return [];
  return [
    { line, message: `The test title "${text}" needs a subject or a verb in the present tense at its beginning.` },
  ];
}

function checkSentences(passage: Passage, exempt: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  for (const { 0: sentence, index } of passage.text.matchAll(
    /(?:e\.g\.|i\.e\.|etc\.|vs\.|[^.?!]|[.?!](?!["')*_\]]*\s))+[.?!]?/gu,
  )) {
    const words = wordsOf(sentence);
    const text = words.join(' ');
    if (words.length > WORDS_MAX && !exempt.some((start) => text.startsWith(start))) {
      findings.push(tooLong(lineAt(passage, index + sentence.search(/\S/)), words));
    }
  }
  return findings;
}

function tooLong(line: number, words: readonly string[]): Finding {
  const start = words.slice(0, 8).join(' ');
  return { line, message: `A sentence of ${words.length} words, at most ${WORDS_MAX}: "${start} …".` };
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

function lineAt({ text, line }: Passage, index: number): number {
  return line + text.slice(0, index).split('\n').length - 1;
}
