import { isRecord } from '../load/resource.ts';

/** An event as a reader of the feed has received it. */
export interface ReceivedEvent {
  readonly position: number;
  readonly type: string;
  /** The kind and id of the changed resource, as one text. */
  readonly resource: string;
  /** The acknowledged change that it is the event of: `{id} {version} {type}`. */
  readonly change: string;
  readonly version: number;
  /** The complete event, as text. */
  readonly text: string;
}

/** A page of the feed. */
export interface ReceivedPage {
  readonly events: readonly ReceivedEvent[];
  readonly cursor: string;
  readonly caughtUp: boolean;
}

/** Returns the page of a response body; `undefined` for other values. */
export function readEventPage(body: unknown): ReceivedPage | undefined {
  if (!isRecord(body) || !Array.isArray(body['data']) || !isRecord(body['page'])) return undefined;
  const { next_cursor: cursor, caught_up: caughtUp } = body['page'];
  const data: readonly unknown[] = body['data'];
  const events = data.flatMap((input) => readEvent(input) ?? []);
  if (typeof cursor !== 'string' || typeof caughtUp !== 'boolean' || events.length < data.length) return undefined;
  return { events, cursor, caughtUp };
}

/** Returns an event of the feed, which a webhook has too; `undefined` for other values. */
export function readEvent(input: unknown): ReceivedEvent | undefined {
  if (!isRecord(input) || !isRecord(input['resource'])) return undefined;
  const { position, type } = input;
  const { type: kind, id, version } = input['resource'];
  if (typeof position !== 'number' || typeof type !== 'string' || typeof version !== 'number') return undefined;
  if (typeof kind !== 'string' || typeof id !== 'string') return undefined;
  return {
    position,
    type,
    resource: `${kind} ${id}`,
    change: `${id} ${version} ${type}`,
    version,
    text: JSON.stringify(input),
  };
}
