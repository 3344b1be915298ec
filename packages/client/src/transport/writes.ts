import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { PreconditionFailed, ValidationFailed } from '../errors.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from '../options.ts';
import type { HttpResponse } from './attempt.ts';
import { isKey, newKey } from './keys.ts';
import { assertOptions, WRITE_OPTIONS } from './known-options.ts';
import { type Call, type CodesOf, send, trusted } from './send.ts';
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
  const { idempotencyKey = newKey(), ifVersion, signal } = options;
  if (!isKey(idempotencyKey)) return new ResultAsync(Promise.resolve(err(trusted<E>(INVALID_KEY))));
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

const INVALID_KEY: ValidationFailed = {
  type: 'validation_failed',
  errors: [
    {
      field: 'Idempotency-Key',
      message: 'must be 1 to 255 visible ASCII characters',
      code: 'invalid_format',
    },
  ],
};

function isAt(error: AnyError, version: number): boolean {
  return (
    error.type === ('precondition_failed' satisfies PreconditionFailed['type']) &&
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

/** Maximum number of times that an update reads a resource and sends its change. */
const UPDATES_MAX = 5;

/**
 * Reads a resource, and sends the change that `decide` makes of it under the version that was read. Starts again when
 * another change came in between, {@link UPDATES_MAX} times in all. All of them have one key: a rejected one uses no key.
 *
 * @throws {TypeError} an option is unknown
 */
export function update<T extends { readonly version: number }, Patch, W, ReadE, WriteE extends AnyError>(
  get: (options: RequestOptions) => ResultAsync<T, ReadE>,
  decide: (before: T) => Patch,
  change: (patch: Patch, options: ChangeOptions) => ResultAsync<W, WriteE>,
  options: WriteOptions,
): ResultAsync<W, ReadE | WriteE> {
  assertOptions(options, WRITE_OPTIONS);
  const { idempotencyKey = newKey(), signal } = options;
  const run = async (): Promise<Result<W, ReadE | WriteE>> => {
    for (let round = 1; ; round += 1) {
      const before = await get({ signal });
      if (before.isErr()) return err(before.error);
      const ifVersion = before.value.version;
      const changed = await change(decide(before.value), { idempotencyKey, signal, ifVersion });
      if (changed.isOk()) return ok(changed.value);
      if (changed.error.type !== 'precondition_failed' || round === UPDATES_MAX) return err(changed.error);
    }
  };
  return new ResultAsync(run());
}
