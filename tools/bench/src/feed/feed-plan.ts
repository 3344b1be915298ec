/** The parameters that determine the duration of a run. Times are in seconds. */
export interface FeedPlan {
  readonly rounds: number;
  /** The duration of a turn of reads. */
  readonly seconds: number;
  /** Load before the first turn of each kind, so that the code is compiled. */
  readonly warmUpSeconds: number;
  /** The writes of a turn. */
  readonly writes: number;
  /** Events that got their positions while a snapshot was held open. */
  readonly held: number;
  /** The duration of a turn beside the snapshot, which shall contain slow probes. */
  readonly heldSeconds: number;
  /** Writes whose way to a long poll is timed. */
  readonly wakes: number;
  readonly waiters: number;
  /** The duration for which the waiters are measured. */
  readonly waitSeconds: number;
}

export const FEED_PLANS = {
  full: {
    rounds: 9,
    seconds: 1,
    warmUpSeconds: 2,
    writes: 2000,
    held: 1_000_000,
    heldSeconds: 8,
    wakes: 1000,
    waiters: 10_000,
    waitSeconds: 20,
  },
  quick: {
    rounds: 1,
    seconds: 0.2,
    warmUpSeconds: 0.2,
    writes: 200,
    held: 10_000,
    heldSeconds: 0.3,
    wakes: 24,
    waiters: 10_000,
    waitSeconds: 1,
  },
} as const satisfies Readonly<Record<string, FeedPlan>>;

/** Owners that the waiters wait for, four for each. */
export const WAITERS_PER_OWNER = 4;

/** The measurements, in the order in which they are made. */
const FEED_CASES = ['polls', 'writes', 'long polls', 'waiters', 'snapshot'] as const;

export type FeedCase = (typeof FEED_CASES)[number];

/** Returns the measurements with these titles, all without a title, or an error. */
export function feedCases(titles: readonly string[]): readonly FeedCase[] | string {
  const unknown = titles.find((title) => !FEED_CASES.some((known) => known === title));
  if (unknown !== undefined) return `no case "${unknown}". The cases are: ${FEED_CASES.join('; ')}`;
  return titles.length === 0 ? FEED_CASES : FEED_CASES.filter((known) => titles.includes(known));
}
