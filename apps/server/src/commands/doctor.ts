import { type Finding, findingsOf } from '../database/findings.ts';
import { OperatorError } from '../operator-error.ts';
import type { Command } from './command.ts';
import { JSON_OUTPUT } from './list-output.ts';
import { print } from './print.ts';

/** Examines the database and says what to do. */
export const doctor: Command = {
  usage: 'doctor',
  records: 'nothing',
  about:
    'examines the database: schema, rights, clock, locks, connections, backlogs, erasures, sizes; exits with 1 for a failure',
  options: [JSON_OUTPUT],
  examples: ['doctor', 'doctor --json'],
  needs: () => 'database',
  prepare:
    ({ flags }) =>
    async ({ database }, signal, config) => {
      const findings = await findingsOf(database, config, signal);
      await print(flags.has('json') ? `${JSON.stringify(findings, null, 2)}\n` : textOf(findings));
      if (findings.some(({ state }) => state === 'fail')) throw new OperatorError([]);
    },
};

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const indent = ' '.repeat(width + 8);
  return findings
    .map(({ state, subject, text, advice }) => {
      const line = `${state.padEnd(4)}  ${subject.padEnd(width)}  ${text}\n`;
      return advice === undefined ? line : `${line}${indent}${advice}\n`;
    })
    .join('');
}
