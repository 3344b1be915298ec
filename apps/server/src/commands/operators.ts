import { randomUUIDv7 } from 'node:crypto';
import {
  idleSince,
  isLine,
  NAME_LENGTH_MAX,
  newSignInToken,
  OPERATOR_ROLES,
  signInLink,
} from '@orders/http-adapter/settings';
import type { AuditRecord, ListedOperator, ListedSession } from '@orders/persistence';
import { Option } from 'commander';
import { allPages } from '../database/all-pages.ts';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { NAME_RULE, readName } from './grant.ts';
import { type Column, JSON_OUTPUT, listWith, printList } from './list-output.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** Creates an operator and prints a link that signs in once. */
export const createOperator: Command = {
  usage: 'operators create <name>',
  records: 'itself',
  about: 'creates an operator and prints a link that signs in once, within 15 minutes',
  options: [
    new Option('--role <role>', 'viewer sees no personal data, support also acts for owners, admin does all').choices([
      ...OPERATOR_ROLES,
    ]),
    REASON,
  ],
  examples: ['operators create Ada --role support'],
  prepare: (args) => {
    const {
      positionals: [name = ''],
      values,
    } = args;
    const role = OPERATOR_ROLES.find((each) => each === values['role']);
    const faults = [
      ...(role ? [] : [`--role: must be one of ${OPERATOR_ROLES.join(', ')}`]),
      ...(isLine(name.trim(), NAME_LENGTH_MAX) ? [] : [`NAME: ${NAME_RULE}`]),
    ];
    if (!role || faults.length > 0) throw new OperatorError(faults);
    const by = byThisUser(args);
    return async ({ database }, _signal, config) => {
      const { postgresOperators } = await import('@orders/persistence');
      const { adminUrlOf } = await import('../config/config.ts');
      const { token, ...link } = newSignInToken(new Date());
      const operator = { id: randomUUIDv7(), name: name.trim(), role };
      await databaseResult(postgresOperators(database).create(operator, link, by));
      await print(`${signInLink(adminUrlOf(config), token)}\n`);
    };
  },
};

const COLUMNS: readonly Column<ListedOperator>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'NAME', cell: ({ name }) => name },
  { header: 'ROLE', cell: ({ role }) => role },
  { header: 'SIGNS IN BY', cell: ({ signs_in }) => signs_in },
  { header: 'SESSIONS', cell: ({ sessions }) => `${sessions}`, isNumber: true },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
  { header: 'LAST USED', cell: ({ last_used_at }) => last_used_at ?? '-' },
  { header: 'REVOKED', cell: ({ revoked_at }) => revoked_at ?? '-' },
];

/** Lists operators, with the id to revoke in the first column. */
export const listOperators: Command = {
  usage: 'operators list',
  records: 'nothing',
  about: 'lists the operators; revoke one by the id in the first column',
  options: [JSON_OUTPUT],
  examples: ['operators list', 'operators list --json'],
  prepare: async (args, ...rest) => {
    const { postgresOperators } = await import('@orders/persistence');
    return await listWith(COLUMNS, ({ database }) =>
      allPages((page) => postgresOperators(database).list({ at: new Date().toISOString(), ...page })),
    )(args, ...rest);
  },
};

/**
 * Returns the id that is the first argument.
 *
 * @throws {OperatorError} it is no UUID
 */
export function readId({ positionals: [id = ''] }: Pick<Arguments, 'positionals'>): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new OperatorError(['ID: must be a UUID']);
  return id;
}

function unknownOperator(id: string, also = ''): OperatorError {
  return new OperatorError([`ID: no unrevoked operator has the id ${id}${also}; operators list lists all`]);
}

/** Prints another link for an operator, such as after the end of a session. */
export const linkOperator: Command = {
  usage: 'operators link <id>',
  records: 'itself',
  about: 'prints another link that signs an operator in once, within 15 minutes',
  options: [REASON],
  examples: ['operators link 019b2a4e-8f00-7000-8000-000000000001'],
  prepare: (args) => {
    const [id, by] = [readId(args), byThisUser(args)];
    return async ({ database }, _signal, config) => {
      const { postgresOperators } = await import('@orders/persistence');
      const { adminUrlOf } = await import('../config/config.ts');
      const { token, ...link } = newSignInToken(new Date());
      if (!(await databaseResult(postgresOperators(database).link(id, link, by))))
        throw unknownOperator(id, ' and signs in by links');
      await print(`${signInLink(adminUrlOf(config), token)}\n`);
    };
  },
};

/** Renames an operator. */
export const renameOperator: Command = {
  usage: 'operators rename <id> <name>',
  records: 'itself',
  about: 'renames an operator',
  options: [REASON],
  examples: ['operators rename 019b2a4e-8f00-7000-8000-000000000001 "Ada L."'],
  prepare: (args) => {
    const [id, name, by] = [readId(args), readName(args.positionals[1]), byThisUser(args)];
    return async ({ database }) => {
      const { postgresOperators } = await import('@orders/persistence');
      if (!(await databaseResult(postgresOperators(database).rename(id, name, by)))) throw unknownOperator(id);
    };
  },
};

const SESSION_COLUMNS: readonly Column<ListedSession>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
  { header: 'LAST USED', cell: ({ last_used_at }) => last_used_at },
  { header: 'EXPIRES', cell: ({ expires_at }) => expires_at },
];

/** Lists the sessions of an operator, with the id to end in the first column. */
export const listSessions: Command = {
  usage: 'operators sessions <id>',
  records: 'nothing',
  about: 'lists the sessions of an operator that have not ended; end one by the id in the first column',
  options: [JSON_OUTPUT],
  examples: ['operators sessions 019b2a4e-8f00-7000-8000-000000000001'],
  prepare: async (args, ...rest) => {
    const [id, now] = [readId(args), new Date()];
    const { postgresOperators } = await import('@orders/persistence');
    return await listWith(SESSION_COLUMNS, ({ database }) =>
      allPages((page) =>
        postgresOperators(database).sessions(id, { at: now.toISOString(), idleSince: idleSince(now), ...page }),
      ),
    )(args, ...rest);
  },
};

/** Ends a session, whose next request is refused. */
export const endSession: Command = {
  usage: 'operators end-session <id>',
  records: 'itself',
  about: 'ends a session of an operator at once',
  options: [REASON],
  examples: ['operators end-session 019b2a4e-8f00-7000-8000-000000000002'],
  prepare: (args) => {
    const [id, by] = [readId(args), byThisUser(args)];
    return async ({ database }) => {
      const { postgresOperators } = await import('@orders/persistence');
      if (!(await databaseResult(postgresOperators(database).endSession(id, new Date().toISOString(), by))))
        throw new OperatorError([`ID: no session that has not ended has the id ${id}; operators sessions lists them`]);
    };
  },
};

/** Revokes an operator, whose sessions end at once. */
export const revokeOperator: Command = {
  usage: 'operators revoke <id>',
  records: 'itself',
  about: 'revokes an operator, whose sessions end at once',
  options: [REASON],
  examples: ['operators revoke 019b2a4e-8f00-7000-8000-000000000001'],
  prepare: (args) => {
    const [id, by] = [readId(args), byThisUser(args)];
    return async ({ database }) => {
      const { postgresOperators } = await import('@orders/persistence');
      const revoked = await databaseResult(postgresOperators(database).revoke(id, new Date().toISOString(), by));
      if (!revoked) throw unknownOperator(id);
    };
  },
};

const AUDIT_COLUMNS: readonly Column<AuditRecord>[] = [
  { header: 'TIME', cell: ({ occurred_at }) => occurred_at },
  { header: 'OWNER', cell: ({ owner }) => owner ?? '-' },
  { header: 'ACTOR', cell: ({ actor }) => actor },
  { header: 'ACTION', cell: ({ action }) => action },
  { header: 'SUBJECT', cell: ({ subject }) => subject ?? '-' },
  { header: 'REASON', cell: ({ reason }) => reason ?? '-' },
];

/** The records that are listed. */
const RECORDS_MAX = 1000;

/** Lists what operators did. */
export const listAudit: Command = {
  usage: 'audit',
  records: 'nothing',
  about: 'lists the newest of what operators read of persons, and changed; of one owner, or of all',
  options: [OWNER, JSON_OUTPUT],
  examples: ['audit', 'audit --owner shop --json'],
  prepare: async (args) => {
    const owner = args.values['owner'] === undefined ? null : await readOwner(args);
    return async ({ database }) => {
      const { postgresAudit } = await import('@orders/persistence');
      const listed = postgresAudit(database).list({ owner, before: null, limit: RECORDS_MAX });
      const { records, is_complete: isComplete } = await databaseResult(listed);
      if (!isComplete) report('orders: not all is shown: a node of the database did not respond');
      await printList(records, AUDIT_COLUMNS, args);
    };
  },
};
