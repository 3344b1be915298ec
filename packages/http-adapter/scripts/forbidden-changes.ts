import { breakingChanges } from './breaking-changes.ts';
import { membersOf } from './json-values.ts';

/** Returns the changes that forbid to replace `before` by `after`. A new major version may break clients. */
export function forbiddenChanges(before: unknown, after: unknown): readonly string[] {
  return majorOf(after) > majorOf(before) ? [] : breakingChanges(before, after);
}

function majorOf(document: unknown): number {
  return Number.parseInt(String(membersOf(membersOf(document)['info'])['version']), 10);
}
