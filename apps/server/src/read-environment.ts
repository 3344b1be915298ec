import type { OrderDefinition } from '@orders/domain';
import { loadDefinition } from './definition/load-definition.ts';
import { type Config, type Given, readConfig } from './config/config.ts';
import { doubtfulVariables } from './config/doubtful-variables.ts';
import { validateTlsFiles } from './config/tls.ts';

/** What a server reads of its environment. */
export interface ServerEnvironment {
  readonly config: Config;
  readonly definition: OrderDefinition;
  /** The names of the variables that are set. */
  readonly given: ReadonlySet<string>;
  /** A sentence for each variable that probably means something else than it says. */
  readonly doubts: readonly string[];
}

/**
 * Reads the environment of a server and the files that it refers to, and connects to nothing.
 *
 * @throws {OperatorError} something is invalid; the message lists all of it, and the doubts
 */
export async function readEnvironment(environment: Given): Promise<ServerEnvironment> {
  const doubts = doubtfulVariables(environment);
  const { definition, faults } = await loadDefinition(environment);
  const config = readConfig(environment, (given) => [...validateTlsFiles(given), ...faults], doubts);
  const given = new Set(Object.keys(environment).filter((name) => (environment[name] ?? '') !== ''));
  return { config, definition, given, doubts };
}
