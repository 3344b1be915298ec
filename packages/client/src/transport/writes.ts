import { errAsync, type Result, ResultAsync } from 'neverthrow';
import { keyOf, userOf } from '../calls/keys.ts';
import { assertOptions, WRITE_OPTIONS } from '../calls/known-options.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import type { ErrorOf } from '../errors.ts';
import type { ChangeOptions, Written } from '../options.ts';
import type { HttpResponse } from './attempt.ts';
import { type Call, send } from './send.ts';
import type { Settings } from './settings.ts';

/** The response to a write. */
export interface WriteResponse extends Written {
  readonly body: unknown;
}

/**
 * Sends a write with an idempotency key, which is the same for every attempt.
 *
 * @throws {TypeError} an option is unknown
 */
export function write<E extends { readonly type: string }>(
  settings: Settings,
  call: Pick<Call, 'method' | 'path' | 'body'>,
  options: ChangeOptions,
  codes: object,
): ResultAsync<WriteResponse, E> {
  // The path of the resource that `ifVersion` is about, which a creation has not.
  const [resource] = /^\/\w+\/[^/]+/.exec(call.path) ?? [];
  assertOptions(options, resource === undefined ? WRITE_OPTIONS : [...WRITE_OPTIONS, 'ifVersion']);
  const { ifVersion, signal } = options;
  const key = keyOf(options);
  if (key.isErr()) return errAsync(uncheckedCast<E>(key.error));
  const idempotencyKey = key.value;
  const user = userOf(options, settings);
  if (user.isErr()) return errAsync(uncheckedCast<E>(user.error));
  const attemptWrite = () =>
    send<E>(
      settings,
      {
        ...call,
        idempotencyKey,
        externalUserId: user.value,
        signal,
        headers: ifVersion === undefined ? undefined : { 'if-match': `"${ifVersion}-${settings.representation}"` },
      },
      codes,
    );
  const sent = async (): Promise<Result<HttpResponse, E>> => {
    const first = await attemptWrite();
    if (first.isOk() || resource === undefined || !isAt(first.error, ifVersion)) return first;
    // The version is right, so the rest of the entity tag is another one: it rises with releases of the server.
    const before = settings.representation;
    await read(settings, { path: resource, signal }, {});
    return settings.representation === before ? first : attemptWrite();
  };
  return new ResultAsync(sent()).map(({ headers, body }) => ({
    body,
    idempotencyKey,
    replayed: headers.get('idempotent-replayed') === 'true',
  }));
}

function isAt(error: { readonly type: string }, version: number | undefined): boolean {
  return (
    version !== undefined &&
    error.type === ('precondition_failed' satisfies ErrorOf<'precondition_failed'>['type']) &&
    'current_version' in error &&
    error.current_version === version
  );
}

/** Sends a read, or an action that changes no resource and therefore has no idempotency key. */
export function read<E>(
  settings: Settings,
  call: Omit<Call, 'method'> & { readonly method?: 'POST' },
  codes: object,
): ResultAsync<unknown, E> {
  return new ResultAsync(send<E>(settings, { method: 'GET', ...call }, codes)).map(({ headers, body }) => {
    // The tag of a customer whose erasure is pending, which ends with `-0`, has no representation of its own. A proxy that
    // compresses makes a tag weak, or appends to it.
    const [, representation] = /^(?:W\/)?"\d+-([1-9]\d*)(?!\d)/.exec(headers.get('etag') ?? '') ?? [];
    if (representation !== undefined) settings.representation = representation;
    return body;
  });
}
