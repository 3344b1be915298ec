/**
 * The name of a session of this release in `pg_stat_activity`. Its number rises with a release beside which servers of the
 * previous one cannot run.
 */
export const APPLICATION_NAME = 'orders/2';

/** The name of a session of release 0.1.0. */
export const APPLICATION_NAME_OF_010 = 'orders';
