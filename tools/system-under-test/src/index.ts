export { issueKeys } from './issue-keys.ts';
export { cpuTimeOfThreads, cpuTimeOfTree, residentMiB } from './processes.ts';
export { createDatabase, type Postgres, query, startPostgres } from './postgres.ts';
export { type Program, startProgram } from './program.ts';
export { type Connection, openConnection, type RawResponse, requestText } from './connection.ts';
export { freePort, type Server, type ServerOptions, startServer, UNLIMITED } from './server.ts';
export { quantile } from './statistics.ts';
export { type Progress, showProgress } from './show-progress.ts';
export { waitFor } from './wait-for.ts';
