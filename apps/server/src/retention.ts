/** The times for which records are kept, by environment variable. */
interface Retention {
  readonly EVENT_RETENTION_DAYS: number;
  /** The former name of `EVENT_RETENTION_DAYS`. */
  readonly OUTBOX_RETENTION_DAYS?: number | undefined;
  readonly HISTORY_RETENTION_DAYS: number;
  readonly IDEMPOTENCY_TTL_HOURS: number;
}

/** The variables that are set, as they are in the environment. */
interface Given {
  readonly EVENT_RETENTION_DAYS?: string | undefined;
}

/** Returns the configuration with the retention time of events under its present name. */
export function withEventRetention<C extends Retention>(config: C, given: Given): C {
  const { EVENT_RETENTION_DAYS, OUTBOX_RETENTION_DAYS = EVENT_RETENTION_DAYS } = config;
  return given.EVENT_RETENTION_DAYS === undefined ? { ...config, EVENT_RETENTION_DAYS: OUTBOX_RETENTION_DAYS } : config;
}

/** Returns the errors in the retention times, which depend on one another. */
export function retentionFaults(config: Retention, given: Given): readonly string[] {
  const { EVENT_RETENTION_DAYS: events, OUTBOX_RETENTION_DAYS: outbox } = config;
  const { HISTORY_RETENTION_DAYS: history, IDEMPOTENCY_TTL_HOURS: keyHours } = config;
  if (outbox !== undefined && given.EVENT_RETENTION_DAYS !== undefined && outbox !== events) {
    return [
      'OUTBOX_RETENTION_DAYS: is the former name of EVENT_RETENTION_DAYS, which is set to another value; remove it',
    ];
  }
  // A replay reads the change record of its event.
  const name = outbox === undefined ? 'EVENT_RETENTION_DAYS' : 'OUTBOX_RETENTION_DAYS';
  return [
    ...(events * 24 < keyHours ? [`${name}: must be at least IDEMPOTENCY_TTL_HOURS, ${keyHours} hours`] : []),
    ...(history > 0 && history < events
      ? [`HISTORY_RETENTION_DAYS: must be 0 or at least ${name}, ${events} days`]
      : []),
  ];
}

/** Returns a warning for each deprecated variable that is set. */
export function deprecations({ OUTBOX_RETENTION_DAYS }: Retention): readonly string[] {
  return OUTBOX_RETENTION_DAYS === undefined
    ? []
    : ['OUTBOX_RETENTION_DAYS is deprecated; rename it to EVENT_RETENTION_DAYS'];
}
