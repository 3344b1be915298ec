import { z } from 'zod';

/** How a path of the receiver responds: with 204, or never. */
export const Behaviour = z.enum(['accepts', 'hangs']);

export type Behaviour = z.infer<typeof Behaviour>;

/** What the receiver process is to do. It replies to each with a report. */
export const ReceiverJob = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('expect'),
    endpoints: z.array(
      z.object({
        path: z.string(),
        secret: z.string(),
        behaviour: Behaviour,
        /** Whether its deliveries are among those that are reported. All are checked. */
        reported: z.boolean(),
      }),
    ),
  }),
  /** Waits until so many deliveries have arrived that were not reported yet, and reports them. */
  z.object({ kind: z.literal('report'), count: z.number(), timeoutMs: z.number() }),
  /** Closes the connections of all requests that have no response. */
  z.object({ kind: z.literal('release') }),
]);

export type ReceiverJob = z.infer<typeof ReceiverJob>;

/** What the receiver has received since the last report. */
export const ReceiverReport = z.object({
  /** When each delivery arrived, in milliseconds of a clock of the receiver, in order. */
  arrivedAt: z.array(z.number()).readonly(),
  /** The time from each event to its arrival, in milliseconds, in the same order. */
  lagsMs: z.array(z.number()).readonly(),
  /** The first request that was wrong. */
  wrong: z.string().optional(),
});

export type ReceiverReport = z.infer<typeof ReceiverReport>;

/** The ports of the receiver. */
export const ReceiverReady = z.object({ ports: z.array(z.number()).readonly() });
