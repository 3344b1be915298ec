import { z } from 'zod';

/** The waiters that the process of waiters shall hold. */
export const WaitersJob = z.object({
  url: z.string(),
  owners: z.number(),
  perOwner: z.number(),
});

export type WaitersJob = z.infer<typeof WaitersJob>;

/** The report of the process once all of them wait. */
export const WaitersReady = z.object({
  /** Bytes of heap for each waiter. */
  bytes: z.number(),
});

export type WaitersReady = z.infer<typeof WaitersReady>;
