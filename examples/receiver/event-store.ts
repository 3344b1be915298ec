import { DatabaseSync } from 'node:sqlite';

/** The members of a message that the store keeps apart. */
export interface Message {
  readonly type: string;
  readonly data: { readonly resource: { readonly id: string; readonly version: number } };
}

/** A file with the events that were received. */
export interface EventStore {
  /**
   * Stores an event unless it is there. When this returns, the event would also survive a failure of the machine.
   *
   * @param id the `webhook-id` of the request
   * @throws {Error} the file is locked or cannot be written
   */
  add(id: string, message: Message): void;
}

/**
 * The server waits 15 seconds for a response, and sends at most eight messages at a time. Even if each of them waits for
 * the file this long, the last one is in time.
 */
const LOCKED_MS = 1000;

/** Opens the store. The events have the order in which they were received. */
export function openEventStore(path: string): EventStore {
  const database = new DatabaseSync(path, { timeout: LOCKED_MS });
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists events (
      number integer primary key,
      id text not null unique,
      type text not null,
      resource_id text not null,
      version integer not null
    )`);
  const insert = database.prepare(
    'insert into events (id, type, resource_id, version) values (?, ?, ?, ?) on conflict (id) do nothing',
  );
  return {
    add: (id, { type, data: { resource } }) => void insert.run(id, type, resource.id, resource.version),
  };
}

/** Returns the versions of each resource in the order in which they were received. */
export function receivedVersions(path: string): ReadonlyMap<string, readonly number[]> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
  const versions = new Map<string, number[]>();
  for (const row of database.prepare('select resource_id, version from events order by number').iterate()) {
    const id = String(row['resource_id']);
    versions.set(id, [...(versions.get(id) ?? []), Number(row['version'])]);
  }
  database.close();
  return versions;
}
