/** The parameters that determine the duration of a run. Times are in seconds. */
export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** Rounds with few and with many connections. They are fewer and shorter. */
  readonly edgeRounds: number;
  readonly edgeSeconds: number;
  /** Load before the first round of a case, so that the code is compiled. */
  readonly warmUpSeconds: number;
  /** Load before each round, so that idle connections to PostgreSQL are open again. */
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
    rounds: 1,
    seconds: 0.1,
    edgeRounds: 1,
    edgeSeconds: 0.1,
    warmUpSeconds: 0.1,
    settleSeconds: 0.05,
    starts: 1,
    orders: 1000,
  },
} as const satisfies Readonly<Record<string, Plan>>;

/** The number of connections that every subject is measured with. */
export const CONNECTIONS = 16;

/** Further numbers of connections, with which only {@link EDGE_SUBJECTS} are measured. */
export const EDGES = [1, 128] as const;
