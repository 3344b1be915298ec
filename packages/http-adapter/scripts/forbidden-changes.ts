import { breakingChanges } from './breaking-changes.ts';
import { listOf, membersOf } from './json-values.ts';

/**
 * Returns the changes that forbid to replace `before` by `after`: those that could break a client, and are not accepted. A
 * new major version may break clients.
 */
export function forbiddenChanges(before: unknown, after: unknown, accepted: unknown = []): readonly string[] {
  if (majorOf(after) > majorOf(before)) return [];
  const names = namesOf(accepted);
  return breakingChanges(before, after).filter((change) => !names.some((name) => matches(name, change)));
}

/** Returns the accepted changes that the check does not report, because the document does not have them. */
export function staleAcceptances(before: unknown, after: unknown, accepted: unknown): readonly string[] {
  const changes = breakingChanges(before, after);
  return namesOf(accepted).filter((name) => !changes.some((change) => matches(name, change)));
}

/** Returns the names of accepted changes, as the check reports them. A `*` stands for any text. */
function namesOf(accepted: unknown): readonly string[] {
  return listOf(accepted).flatMap((each) => listOf(membersOf(each)['changes']).map(String));
}

function matches(name: string, change: string): boolean {
  const parts = name.split('*').map((part) => part.replaceAll(/[\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(change);
}

function majorOf(document: unknown): number {
  return Number.parseInt(String(membersOf(membersOf(document)['info'])['version']), 10);
}
