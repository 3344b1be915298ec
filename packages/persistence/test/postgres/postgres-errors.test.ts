import { runInNewContext } from 'node:vm';
import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  classify,
  isStatementFault,
  isSessionEnding,
  isReadOnly,
  describeForLog,
  failureReason,
  isRetryable,
} from '../../src/postgres/postgres-errors.ts';
import { toNoConnection } from '../../src/postgres/unreachable-database.ts';
import { errorCode } from '../../src/postgres/error-code.ts';

/** Creates the error that `pg` makes of PostgreSQL's response. */
function rejection(code: string, message = 'refused', constraint?: string): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error');
  error.severity = 'ERROR';
  error.code = code;
  if (constraint !== undefined) error.constraint = constraint;
  return error;
}

/** Creates the error that Node.js makes of a failed socket. */
function failed(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe('a rejection that is not the fault of the statement is "unavailable"', () => {
  it.each([
    ['08000', 'connection_lost', false],
    ['53100', 'disk_full', false],
    ['53300', 'too_many_connections', false],
    ['57P01', 'connection_lost', false],
    ['57P05', 'connection_lost', false],
    ['58030', null, false],
    ['57014', 'statement_timeout', false],
    ['55P03', 'lock_timeout', false],
    ['25006', 'read_only', false],
    ['25P03', null, false],
    ['25P04', null, false],
    ['40001', null, true],
    ['40P01', 'deadlock', true],
  ])('SQLSTATE %s, which is counted as %s; the statement is retried: %s', (code, reason, isRetried) => {
    const cause = rejection(code);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect([isRetryable(cause), failureReason(cause)]).toEqual([isRetried, reason]);
  });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOENT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'ETIMEDOUT',
  ])('%s is a lost connection; the statement is not retried', (code) => {
    const cause = failed(code);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(isRetryable(cause)).toBe(false);
  });

  it.each([
    ['timeout exceeded when trying to connect', false],
    ['Connection terminated unexpectedly', false],
    ['Connection terminated due to connection timeout', false],
    ['Query read timeout', false],
    // The pool returned a connection that was already lost, so the statement was never sent.
    ['Client has encountered a connection error and is not queryable', true],
    ['Client was closed and is not queryable', true],
    ['Cannot use a pool after calling end on the pool', false],
  ])('"%s" is a lost connection; the statement is retried: %s', (message, isRetried) => {
    const cause = new Error(message);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(isRetryable(cause)).toBe(isRetried);
  });
});

describe('an internal error', () => {
  it.each([
    'failure on connection marked as essential: 10.0.0.2:5432',
    'the postmaster was shut down',
    'connection to the remote node 10.0.0.2:5432 failed with the following error: Connection refused',
    'loaded Citus library version differs from installed extension version',
  ])('is "unavailable" when a worker of Citus failed: %s', (message) => {
    const cause = Object.assign(rejection('XX000'), { message });
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(isRetryable(cause)).toBe(false);
  });

  it('is a bug with any other message, and is thrown again', () => {
    const cause = Object.assign(rejection('XX000'), { message: 'cache lookup failed for relation 16384' });
    expect(() => classify(cause)).toThrow(cause);
  });
});

describe('a session that could not begin is "unavailable"', () => {
  it.each([
    ['28P01', 'password authentication failed for user "orders"'],
    ['3D000', 'database "orders" does not exist'],
    ['42704', 'unrecognized configuration parameter'],
  ])('%s %s', (code, message) => {
    const cause = Object.assign(rejection(code, message), { severity: 'FATAL' });
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(isSessionEnding(cause)).toBe(true);
  });

  it('keeps an error code of Node.js', () => {
    const failure = toNoConnection(failed('CERT_HAS_EXPIRED'));
    expect(classify(failure)).toEqual({ type: 'unavailable', cause: failure });
    expect(failure.message).toBe('connect CERT_HAS_EXPIRED');
  });

  it('lists the errors of every address', () => {
    const reasons = [failed('ECONNREFUSED'), failed('ETIMEDOUT')];
    expect(toNoConnection(new AggregateError(reasons)).message).toBe('connect ECONNREFUSED; connect ETIMEDOUT');
  });
});

/**
 * Returns an error that is not an instance of this realm's `Error`. Jest makes such errors, because its tests run in
 * contexts of `vm`.
 */
function foreignError(code: string): Error {
  const error: unknown = runInNewContext(`Object.assign(new Error('refused'), { code: ${JSON.stringify(code)} })`);
  expect(error).not.toBeInstanceOf(Error);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the evaluated code is a literal of this file
  return error as Error;
}

describe('an error of another realm', () => {
  it('is classified as one of this realm', () => {
    expect(classify(foreignError('57014'))).toMatchObject({ type: 'unavailable', cause: { code: '57014' } });
    expect(classify(foreignError('23505'))).toMatchObject({ type: 'unique_violation' });
    expect(isRetryable(foreignError('40P01'))).toBe(true);
    expect(isSessionEnding(Object.assign(foreignError('57P01'), { severity: 'FATAL' }))).toBe(true);
    expect(isReadOnly(foreignError('25006'))).toBe(true);
    expect(isStatementFault(foreignError('57014'))).toBe(true);
    expect(describeForLog(foreignError('ECONNREFUSED'))).toBe('refused');
    expect(errorCode(foreignError('ENOENT'))).toBe('ENOENT');
  });

  it('lists the errors of every address', () => {
    const errors = `[new Error('no route'), new Error('refused')]`;
    expect(toNoConnection(runInNewContext(`new AggregateError(${errors})`)).message).toBe('no route; refused');
  });
});

describe('a connection', () => {
  it.each([
    ['FATAL', '57P01'],
    ['PANIC', '58030'],
    ['FATAL', '08P01'],
    ['translated', '25P03'],
    ['translated', '57P05'],
  ])('is closed after %s %s', (severity, code) => {
    expect(isSessionEnding(Object.assign(rejection(code), { severity }))).toBe(true);
  });

  // Citus reports the end of a worker's session with these codes. Its own session continues.
  it.each(['08006', '25006', '57P01', '23505', 'XX000'])('stays open after ERROR %s', (code) => {
    expect(isSessionEnding(rejection(code))).toBe(false);
  });

  it('stays open after a translated error about a statement', () => {
    expect(isSessionEnding(Object.assign(rejection('08006'), { severity: 'translated' }))).toBe(false);
  });
});

describe('a rejected write', () => {
  it('is that of a read-only server, unless the server is a worker of Citus', () => {
    const cause = rejection('25006');
    expect(isReadOnly(cause)).toBe(true);
    cause.where = 'PL/pgSQL function f() line 1\nwhile executing command on 10.0.0.2:5432';
    expect(isReadOnly(cause)).toBe(false);
  });
});

describe('a constraint violation contains the name of the constraint', () => {
  it.each([
    ['23505', 'unique_violation'],
    ['23503', 'foreign_key_violation'],
  ])('%s', (code, type) => {
    const cause = rejection(code, 'refused', 'orders_reference_unique');
    expect(classify(cause)).toEqual({ type, constraint: 'orders_reference_unique' });
    expect(isRetryable(cause)).toBe(false);
  });

  it.each([
    ['a worker of Citus, which numbers its shards', 'orders_reference_unique_102021', undefined],
    ['a worker of Citus, in the message alone', undefined, 'orders_reference_unique_102021'],
    ['the message alone', undefined, 'orders_reference_unique'],
  ])('is found by %s', (_, constraint, reported) => {
    const message = reported === undefined ? 'refused' : `duplicate key value violates unique constraint "${reported}"`;
    const fault = { type: 'unique_violation', constraint: 'orders_reference_unique' };
    expect(classify(rejection('23505', message, constraint))).toEqual(fault);
  });
});

describe('an unclassified rejection is a bug, and is thrown unchanged', () => {
  it.each([
    ['a statement that PostgreSQL does not understand', rejection('42601', 'syntax error')],
    ['a violated check constraint', rejection('23514')],
    ['a statement name that a pooler lost', rejection('26000')],
    [
      'a program error that speaks of a lost connection',
      Object.assign(new Error('connection terminated'), { code: 'X' }),
    ],
    ['a program error', new TypeError('x is undefined')],
    ['a value that is not an error', 'connection terminated'],
  ])('%s', (_, cause) => {
    expect(isRetryable(cause)).toBe(false);
    expect(() => classify(cause)).toThrow(expect.toSatisfy((thrown) => thrown === cause));
  });
});
