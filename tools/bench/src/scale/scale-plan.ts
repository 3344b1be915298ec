/** The sizes of the databases, and the durations of the measurements in seconds. */
export interface ScalePlan {
  readonly few: number;
  readonly many: number;
  readonly owners: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export const SCALE_PLANS = {
  full: { few: 10_000, many: 1_000_000, owners: 100_000, rounds: 5, seconds: 1, warmUpSeconds: 1.5 },
  quick: { few: 2000, many: 50_000, owners: 5000, rounds: 2, seconds: 0.3, warmUpSeconds: 0.3 },
} as const satisfies Readonly<Record<string, ScalePlan>>;
