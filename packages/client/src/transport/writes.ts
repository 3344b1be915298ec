import { errAsync, type Result, ResultAsync } from 'neverthrow';
import { keyOf } from '../calls/keys.ts';
import { assertOptions, WRITE_OPTIONS } from '../calls/known-options.ts';
import { trusted } from '../calls/trusted.ts';
import type { ErrorOf } from '../errors.ts';
import type { ChangeOptions, Written } from '../options.ts';
import type { HttpResponse } from './attempt.ts';
import { type Call, type CodesOf, send } from './send.ts';
import type { Settings } from './settings.ts';

/** A write, with the path of the resource that `ifVersion` is about. */
export interface WriteCall extends Pick<Call, 'method' | 'path' | 'body'> {
  readonly resource?: string | undefined;
}

/** The errors that every write has. */
interface AnyError {
  readonly type: string;
}

/** The response to a write. */
export interface WriteResponse extends Written {
  readonly body: unknown;
}

/**
 * Sends a write with an idempotency key, which is the same for every attempt.
 *
 * @throws {TypeError} an option is unknown
 */
export function write<E extends AnyError>(
  settings: Settings,
  call: WriteCall,
  options: ChangeOptions,
  codes: CodesOf<E>,
): ResultAsync<WriteResponse, E> {
  assertOptions(options, isCreation(call) ? WRITE_OPTIONS : [...WRITE_OPTIONS, 'ifVersion']);
  const { ifVersion, signal } = options;
  const key = keyOf(options);
  if (key.isErr()) return errAsync(trusted<E>(key.error));
  const idempotencyKey = key.value;
  const attemptWrite = () =>
    send<E>(
      settings,
      {
        ...call,
        idempotencyKey,
        signal,
        headers: ifVersion === undefined ? undefined : { 'if-match': `"${ifVersion}-${settings.representation}"` },
      },
      codes,
    );
  const sent = async (): Promise<Result<HttpResponse, E>> => {
    const first = await attemptWrite();
    if (first.isOk() || ifVersion === undefined || !isAt(first.error, ifVersion)) return first;
    // The version is right, so the rest of the entity tag is another one: it rises with releases of the server.
    const before = settings.representation;
    await read<AnyError>(settings, { path: call.resource ?? call.path, signal }, {});
    return settings.representation === before ? first : attemptWrite();
  };
  return new ResultAsync(sent()).map(({ headers, body }) => ({
    body,
    idempotencyKey,
    replayed: headers.get('idempotent-replayed') === 'true',
  }));
}

/** Whether no resource exists before, whose version `ifVersion` could be about. */
function isCreation({ method, resource }: WriteCall): boolean {
  return method === 'POST' && resource === undefined;
}

function isAt(error: AnyError, version: number): boolean {
  return (
    error.type === ('precondition_failed' satisfies ErrorOf<'precondition_failed'>['type']) &&
    'current_version' in error &&
    error.current_version === version
  );
}

/** Sends a read, or an action that changes no resource and therefore has no idempotency key. */
export function read<E extends AnyError>(
  settings: Settings,
  call: Omit<Call, 'method'> & { readonly method?: 'POST' },
  codes: CodesOf<E>,
): ResultAsync<unknown, E> {
  return new ResultAsync(send<E>(settings, { method: 'GET', ...call }, codes)).map(({ headers, body }) => {
    const [, representation] = /^"\d+-([^"]+)"$/.exec(headers.get('etag') ?? '') ?? [];
    if (representation !== undefined) settings.representation = representation;
    return body;
  });
}
