import type { ReceivedEvent } from './received-event.ts';

/** The events of one owner that somebody has received. */
export interface Received {
  /** The requested types; `null` for all. */
  readonly types: readonly string[] | null;
  /** The received events, in the order of their arrival. */
  readonly events: readonly ReceivedEvent[];
}

/** A reader of the feed of one owner. */
export interface FeedReader extends Received {
  readonly name: string;
}

/**
 * Returns the contradictions between the readers of one owner's feed and the acknowledged changes of this owner, or among
 * the readers. These are events that are missing, not acknowledged, at other positions, or out of order. A change is
 * `{id} {version} {type}`.
 */
export function feedContradictions(acknowledged: Iterable<string>, readers: readonly FeedReader[]): readonly string[] {
  const changes = [...acknowledged];
  const agreed = new Map<number, string>();
  for (const { events } of readers) {
    for (const { position, text } of events) if (!agreed.has(position)) agreed.set(position, text);
  }
  return readers.flatMap((reader) =>
    [
      holeOf(reader),
      inversionOf(reader),
      missingOf(reader, changes),
      unacknowledgedOf(reader, changes),
      differenceOf(reader, agreed),
    ].flatMap((found) => (found === undefined ? [] : `${reader.name}: ${found}`)),
  );
}

/** Returns whether a reader receives the event of an acknowledged change. */
export function isOfTypes({ types }: Pick<Received, 'types'>, change: string): boolean {
  return types === null || types.includes(change.split(' ').at(-1) ?? '');
}

/** Finds a position that is skipped, or not above the one before. A reader of some types may skip others. */
function holeOf({ events, types }: FeedReader): string | undefined {
  let before = 0;
  for (const { position } of events) {
    if (types === null ? position !== before + 1 : position <= before) return `position ${position} after ${before}`;
    before = position;
  }
  return undefined;
}

/** Finds a version of a resource that is not behind all earlier ones. */
export function inversionOf({ events, types }: Received): string | undefined {
  const versions = new Map<string, number>();
  for (const { resource, version } of events) {
    const before = versions.get(resource) ?? 0;
    if (types === null ? version !== before + 1 : version <= before) {
      return `version ${version} of ${resource} after ${before}`;
    }
    versions.set(resource, version);
  }
  return undefined;
}

/** Finds acknowledged changes whose events were not received. */
export function missingOf(reader: Received, changes: readonly string[]): string | undefined {
  const received = new Set(reader.events.map(({ change }) => change));
  const missing = changes.filter((change) => isOfTypes(reader, change) && !received.has(change));
  return missing.length === 0 ? undefined : `${missing.length} missing, such as ${missing[0]}`;
}

/** Finds events of changes that were not acknowledged. */
export function unacknowledgedOf({ events }: Received, changes: readonly string[]): string | undefined {
  const acknowledged = new Set(changes);
  const others = events.filter(({ change }) => !acknowledged.has(change));
  return others.length === 0 ? undefined : `${others.length} not acknowledged, such as ${others[0]?.text}`;
}

function differenceOf({ events }: FeedReader, agreed: ReadonlyMap<number, string>): string | undefined {
  const other = events.find(({ position, text }) => agreed.get(position) !== text);
  return other && `${other.text} at the position of ${agreed.get(other.position)}`;
}
