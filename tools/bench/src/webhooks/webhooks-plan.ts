/** The parameters that determine the duration of a run. Times are in seconds. */
export interface WebhooksPlan {
  readonly rounds: number;
  /** Deliveries that are due when the server starts. */
  readonly backlog: number;
  /** The duration of writes at a pace whose deliveries must keep up. */
  readonly steadySeconds: number;
  /** Writes whose way to the receiver is timed. */
  readonly timed: number;
  /** The writes of a turn that compares their cost. */
  readonly writes: number;
  /** Rounds of owners beside one another. */
  readonly fairnessRounds: number;
  /** The duration of a turn of owners beside one another. */
  readonly fairnessSeconds: number;
  /** Due deliveries of an owner beside the quiet ones. */
  readonly due: number;
}

export const WEBHOOKS_PLANS = {
  full: {
    rounds: 9,
    backlog: 10_000,
    steadySeconds: 12,
    timed: 1000,
    writes: 1000,
    fairnessRounds: 5,
    fairnessSeconds: 5,
    due: 100_000,
  },
  quick: {
    rounds: 1,
    backlog: 160,
    steadySeconds: 0.5,
    timed: 32,
    writes: 32,
    fairnessRounds: 1,
    fairnessSeconds: 0.5,
    due: 2000,
  },
} as const satisfies Readonly<Record<string, WebhooksPlan>>;

/** The measurements, in the order in which they are made. */
const WEBHOOKS_CASES = ['throughput', 'latency', 'writes', 'fairness'] as const;

export type WebhooksCase = (typeof WEBHOOKS_CASES)[number];

/** Returns the measurements with these titles, all without a title, or an error. */
export function webhooksCases(titles: readonly string[]): readonly WebhooksCase[] | string {
  const unknown = titles.find((title) => !WEBHOOKS_CASES.some((known) => known === title));
  if (unknown !== undefined) return `no case "${unknown}". The cases are: ${WEBHOOKS_CASES.join('; ')}`;
  return titles.length === 0 ? WEBHOOKS_CASES : WEBHOOKS_CASES.filter((known) => titles.includes(known));
}
