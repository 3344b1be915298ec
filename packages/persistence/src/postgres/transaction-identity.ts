/**
 * The transaction in which a statement runs, as text: its session and its beginning. Savepoints do not change it, a pooler
 * keeps it, and the next transaction of the session has another. A transaction that has only read has none but this.
 */
export const TRANSACTION = `pg_backend_pid() || ' ' || extract(epoch from transaction_timestamp())`;
