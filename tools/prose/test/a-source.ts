import { check } from '../src/check.ts';
import { passagesOf } from '../src/passages.ts';

/** What the check finds in a file with this content, as `line: message`. */
export function findingsIn(file: string, content: string, longSentences: readonly string[] = []): string[] {
  return passagesOf(file, content).flatMap((passage) =>
    check(passage, longSentences).map(({ line, message }) => `${line}: ${message}`),
  );
}
