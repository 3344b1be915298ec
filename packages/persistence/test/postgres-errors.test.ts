import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { classify, mayBeRetried } from '../src/shared/postgres-errors.ts';

/** A rejection as `pg` makes it of PostgreSQL's answer. */
function answered(code: string, message = 'refused', constraint?: string): DatabaseError {
  const error = new DatabaseError(message, message.length, 'error');
  error.code = code;
  if (constraint !== undefined) error.constraint = constraint;
  return error;
}

/** A rejection as Node.js makes it of a socket that failed. */
function failed(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe('a rejection that says nothing against the statement is "unavailable"', () => {
  it.each([
    ['08000', 'connection exception', false],
    ['08003', 'connection does not exist', false],
    ['08006', 'connection failure', false],
    ['08P01', 'protocol violation', false],
    ['53100', 'disk full', false],
    ['53200', 'out of memory', false],
    ['53300', 'too many connections', false],
    ['57P01', 'terminated by an administrator', false],
    ['57P02', 'crash of another session', false],
    ['57P03', 'starting up', false],
    ['57P05', 'idle for too long', false],
    ['57014', 'statement timeout', false],
    ['55P03', 'lock not available', false],
    ['25006', 'read-only, a standby', false],
    ['25P03', 'idle in a transaction for too long', false],
    ['25P04', 'transaction timeout', false],
    ['40001', 'serialization failure', true],
    ['40P01', 'deadlock', true],
  ])('%s %s; tried again inside: %s', (code, _, again) => {
    const cause = answered(code);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(mayBeRetried(cause)).toBe(again);
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
  ])('%s; not tried again inside', (code) => {
    const cause = failed(code);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(mayBeRetried(cause)).toBe(false);
  });

  it.each([
    ['timeout exceeded when trying to connect', false],
    ['Connection terminated unexpectedly', false],
    ['Connection terminated due to connection timeout', false],
    ['Query read timeout', false],
    // The pool handed out a connection that was lost already: the statement never went out.
    ['Client has encountered a connection error and is not queryable', true],
    ['Client was closed and is not queryable', true],
    ['Cannot use a pool after calling end on the pool', false],
  ])('"%s"; tried again inside: %s', (message, again) => {
    const cause = new Error(message);
    expect(classify(cause)).toEqual({ type: 'unavailable', cause });
    expect(mayBeRetried(cause)).toBe(again);
  });
});

describe('a constraint that a statement violated is told by name', () => {
  it.each([
    ['23505', 'unique_violation'],
    ['23503', 'foreign_key_violation'],
  ])('%s', (code, type) => {
    const cause = answered(code, 'refused', 'orders_reference_unique');
    expect(classify(cause)).toEqual({ type, constraint: 'orders_reference_unique' });
    expect(mayBeRetried(cause)).toBe(false);
  });

  it.each([
    ['a worker of Citus, which numbers its shards', 'orders_reference_unique_102021', undefined],
    ['a worker of Citus, in the message alone', undefined, 'orders_reference_unique_102021'],
    ['the message alone', undefined, 'orders_reference_unique'],
  ])('by %s', (_, constraint, said) => {
    const message = said === undefined ? 'refused' : `duplicate key value violates unique constraint "${said}"`;
    const fault = { type: 'unique_violation', constraint: 'orders_reference_unique' };
    expect(classify(answered('23505', message, constraint))).toEqual(fault);
  });
});

describe('a rejection that means nothing known is a bug, and stays what it is', () => {
  it.each([
    ['a statement that PostgreSQL does not understand', answered('42601', 'syntax error')],
    ['a missing table', answered('42P01')],
    ['a check that the domain should have made', answered('23514')],
    ['a missing value', answered('23502')],
    ['a number out of range', answered('22003')],
    ['a statement name that a pooler lost', answered('26000')],
    [
      'a program error that speaks of a lost connection',
      Object.assign(new Error('connection terminated'), { code: 'X' }),
    ],
    ['a program error', new TypeError('x is undefined')],
    ['what is no error', 'connection terminated'],
  ])('%s', (_, cause) => {
    expect(mayBeRetried(cause)).toBe(false);
    let thrown: unknown;
    try {
      classify(cause);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(cause);
  });
});
