/** How long a run takes is decided here. Times are in seconds. */
export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** At few and at many connections there are fewer and shorter rounds. */
  readonly edgeRounds: number;
  readonly edgeSeconds: number;
  /** Before the first round of a case, so that code is compiled. */
  readonly warmUpSeconds: number;
  /** Before each round: connections to PostgreSQL that were idle meanwhile are there again. */
  readonly settleSeconds: number;
  readonly starts: number;
  /** Orders of the owner whose orders are read. */
  readonly orders: number;
}

export const PLANS = {
  full: {
    rounds: 8,
    seconds: 0.65,
    edgeRounds: 2,
    edgeSeconds: 0.7,
    warmUpSeconds: 2.5,
    settleSeconds: 0.25,
    starts: 3,
    orders: 20_000,
  },
  quick: {
    rounds: 2,
    seconds: 0.3,
    edgeRounds: 1,
    edgeSeconds: 0.2,
    warmUpSeconds: 0.2,
    settleSeconds: 0.1,
    starts: 1,
    orders: 5000,
  },
} as const satisfies Readonly<Record<string, Plan>>;

/** The number of connections that every subject is measured with. */
export const CONNECTIONS = 16;

/** Those that only some are measured with. */
export const EDGES = [1, 128] as const;
