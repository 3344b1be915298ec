export { type PostgresProxy, startPostgresProxy } from './proxy.ts';
export type { InjectedFault, Fault } from './faults.ts';
export type { Statement } from './statements.ts';
