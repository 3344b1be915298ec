import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { redactError } from '../../src/logging/redacted-error.ts';

function evaluated(source: string, globals = {}): unknown {
  const value: unknown = runInNewContext(source, globals);
  return value;
}

const REALMS = [
  ['this realm', (source: string) => evaluated(source, { Error, SyntaxError })],
  ['another realm', (source: string) => evaluated(source)],
] as const;

describe.each(REALMS)('an error of %s', (_, evaluate) => {
  it('keeps its class, message and cause', () => {
    const error = evaluate(`new Error('lost', { cause: new Error('reset') })`);
    expect(redactError(error)).toMatchObject({ type: 'Error', message: 'lost', cause: { message: 'reset' } });
  });

  it('omits the value that PostgreSQL quotes', () => {
    const error = evaluate(`Object.assign(new Error('invalid input: "secret"'), { code: '22P02' })`);
    const redacted = redactError(error);
    expect(redacted).toMatchObject({ message: 'invalid input: (redacted)', code: '22P02' });
    expect(JSON.stringify(redacted)).not.toContain('secret');
  });

  it('omits the text that is not JSON', () => {
    const error = evaluate(`new SyntaxError('Unexpected token in "secret"')`);
    expect(JSON.stringify(redactError(error))).not.toContain('secret');
  });
});
