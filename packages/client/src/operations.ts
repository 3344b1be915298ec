import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { type Batch, type BatchOptions, failedAlike } from './batch.ts';
import { jsonOf } from './calls/json.ts';
import { isId, userOf } from './calls/keys.ts';
import { assertOptions, BATCH_OPTIONS, signalOf } from './calls/known-options.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import type { DefaultDefinition, Definition } from './definition.ts';
import type { Code, Operation, OrderWriteError, OwnErrors, ReadError } from './errors.ts';
import { PROBLEMS } from './generated/problems.ts';
import { type Listing, listing, type PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, Written } from './options.ts';
import type { Page } from './schemas.ts';
import { type Call, send, toError } from './transport/send.ts';
import type { Settings } from './transport/settings.ts';
import { read, write, type WriteResponse } from './transport/writes.ts';

/** A path, which does not exist for text that is no id. */
type Path = string | null;

/** A page as the server sends it. */
interface SentPage<T> {
  readonly data: readonly T[];
  readonly page: { readonly next_cursor: string | null };
}

/** The result of an order of a batch as the server sends it. */
interface SentResult {
  readonly status?: number;
  readonly problem?: unknown;
}

/** Sends the operations of the document on one kind of resource. Their errors are those that the document has for them. */
export class Operations<D extends Definition = DefaultDefinition> {
  readonly #settings: Settings;
  readonly #collection: string;
  readonly #notFound: { readonly type: Code };

  /** @param notFound the error of an operation on text that is no id */
  constructor(settings: Settings, collection: string, notFound: Code) {
    this.#settings = settings;
    this.#collection = collection;
    this.#notFound = { type: notFound };
  }

  /** Returns the path of a resource, or one below it. */
  at(id: string, rest = ''): Path {
    return isId(id) ? `${this.#collection}/${id}${rest}` : null;
  }

  /** Sends a read, or by `call` an action that changes no resource. */
  read<T, Op extends Operation>(
    operation: Op,
    path: Path,
    options: RequestOptions,
    call: Pick<Call, 'body' | 'isList' | 'query' | 'waitMs'> & { readonly method?: 'POST' } = {},
  ): ResultAsync<T, ReadError | OwnErrors<Op>> {
    const signal = signalOf(options);
    if (path === null) return errAsync(uncheckedCast(this.#notFound));
    return read<ReadError | OwnErrors<Op>>(this.#settings, { ...call, path, signal }, PROBLEMS[operation]).map((body) =>
      uncheckedCast<T>(body),
    );
  }

  /** Lists the elements of a collection; by `POST`, those that the query in the body finds. */
  list<T, Op extends Operation>(
    operation: Op,
    path: Path,
    query: PageQuery & RequestOptions,
    method: 'GET' | 'POST' = 'GET',
  ): Listing<T, ReadError | OwnErrors<Op>> {
    return listing(({ signal, ...rest }) => {
      if (path === null) return errAsync(uncheckedCast<OwnErrors<Op>>(this.#notFound));
      const call = {
        ...(method === 'GET' ? { query: rest } : { method, body: jsonOf(rest) }),
        path,
        signal,
        isList: true,
      };
      return read<ReadError | OwnErrors<Op>>(this.#settings, call, PROBLEMS[operation]).map((body): Page<T> => {
        const { data, page } = uncheckedCast<SentPage<T>>(body);
        return { data, next_cursor: page.next_cursor };
      });
    }, query);
  }

  /** Sends a write, with the input as JSON if it has one. */
  write<Op extends Operation>(
    operation: Op,
    method: 'POST' | 'PATCH',
    path: Path,
    options: ChangeOptions,
    ...input: readonly [unknown?]
  ): ResultAsync<WriteResponse, OrderWriteError<Op, D>> {
    const body = input.length === 0 ? undefined : jsonOf(input[0]);
    return this.#write(operation, { method, path, body }, options);
  }

  /** Sends a batch of orders, and returns the result of each. */
  async batch<T, E>(batch: Batch, options: BatchOptions): Promise<readonly Result<T, E>[]> {
    const { keys, body } = batch;
    const codes = PROBLEMS.create_order_batch satisfies object;
    assertOptions(options, BATCH_OPTIONS);
    const user = userOf(options, this.#settings);
    if (user.isErr()) return failedAlike(user.error, batch);
    const call = {
      method: 'POST',
      path: '/order_batches',
      body: jsonOf(body),
      idempotencyKey: keys[0],
      hasKeysInBody: true,
      externalUserId: user.value,
      signal: options.signal,
    };
    const sent = await send<object>(this.#settings, call, codes);
    if (sent.isErr()) return failedAlike(sent.error, batch);
    const { data } = uncheckedCast<{ readonly data?: readonly SentResult[] }>(sent.value.body);
    return keys.map((key, index) => {
      const { status = 200, problem, ...placed } = data?.[index] ?? {};
      if (status === 201) return ok(uncheckedCast<T>({ ...placed, idempotencyKey: key }));
      return err(uncheckedCast<E>(toError({ status, body: problem }, { codes, idempotencyKey: key })));
    });
  }

  /** Deletes a resource. */
  delete<Op extends Operation>(
    operation: Op,
    id: string,
    options: ChangeOptions,
  ): ResultAsync<Written, OrderWriteError<Op, D>> {
    const call = { method: 'DELETE', path: this.at(id) };
    return this.#write(operation, call, options).map(({ body: _body, ...rest }) => rest);
  }

  #write<Op extends Operation>(
    operation: Op,
    { path, ...call }: Pick<Call, 'method' | 'body'> & { readonly path: Path },
    options: ChangeOptions,
  ): ResultAsync<WriteResponse, OrderWriteError<Op, D>> {
    if (path === null) return errAsync(uncheckedCast(this.#notFound));
    return write(this.#settings, { ...call, path }, options, PROBLEMS[operation]);
  }
}
