import { breakingChanges } from './breaking-changes.ts';
import { membersOf } from './json-values.ts';

/** Why `after` may not take the place of `before`; nothing when it may. A new major version may break what it likes. */
export function refusal(before: unknown, after: unknown): readonly string[] {
  return majorOf(after) > majorOf(before) ? [] : breakingChanges(before, after);
}

function majorOf(document: unknown): number {
  return Number.parseInt(String(membersOf(membersOf(document)['info'])['version']), 10);
}
