import { z } from 'zod';
import { WrongResponse } from '../wrong-response.ts';

const Page = z.object({
  data: z.array(z.object({ position: z.number() })),
  page: z.object({ next_cursor: z.string(), caught_up: z.boolean() }),
});

/** A page of events. */
export interface EventsPage {
  /** The positions of its events. */
  readonly positions: readonly number[];
  readonly next: string;
  readonly caughtUp: boolean;
}

/**
 * Requests a page of events.
 *
 * @throws {WrongResponse} the response is none
 */
export async function readEvents(
  port: number,
  apiKey: string,
  query: string,
  signal: AbortSignal | null = null,
): Promise<EventsPage> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/events?${query}`, {
    headers: { 'x-api-key': apiKey },
    signal,
  });
  const body = await response.text();
  if (response.status !== 200) throw new WrongResponse(`GET /v1/events?${query} returned ${response.status}: ${body}`);
  const { data, page } = Page.parse(JSON.parse(body));
  return { positions: data.map(({ position }) => position), next: page.next_cursor, caughtUp: page.caught_up };
}

/** Returns the cursor behind the last event of the feed, once all events have positions. */
export async function endOfFeed(port: number, apiKey: string): Promise<string> {
  for (;;) {
    const { next, caughtUp } = await readEvents(port, apiKey, 'start=latest');
    if (caughtUp) return next;
  }
}
