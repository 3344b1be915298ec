import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition } from './definition.ts';
import type { OrdersEvent } from './schemas.ts';
import { assertOptions } from './calls/known-options.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';

/** Headers of a request: of Fetch, or of Node.js. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A verified message: an event, or a test that `orders.webhooks.test` has sent. */
export type WebhookMessage<D extends Definition = DefaultDefinition> = {
  /** Id of the event, from the header `webhook-id`. Handle each id once, because a message can arrive more often. */
  readonly id: string;
  /** Time of the event, or of the test. */
  readonly timestamp: string;
} & (
  | { readonly type: OrdersEvent<D>['type']; readonly data: OrdersEvent<D> }
  | { readonly type: 'webhook_endpoint.test'; readonly data: unknown }
);

/** Error: the message does not come from the server of orders, or is too old to be accepted. */
export interface WebhookRejected {
  /**
   * `missing_header`: no request of a webhook. `timestamp_out_of_range`: too old or from the future, so that it may be a
   * copy. `invalid_signature`: no secret made a signature of this body. `invalid_body`: signed, but no message, or one of
   * another id than `webhook-id`.
   */
  readonly type: 'missing_header' | 'timestamp_out_of_range' | 'invalid_signature' | 'invalid_body';
}

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** Maximum difference between the time of the message and now, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: the current time. */
  readonly now?: Date | undefined;
}

/** More than two secrets never sign a message; a longer list would only cost time. */
const SIGNATURES_MAX = 16;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a message of a webhook by its signature (Standard Webhooks 1.0), in constant time, and returns it.
 *
 * `rawBody` is the body as it arrived: text, or better bytes. While a secret is rotated, pass the old and the new one. The
 * names of `headers` may be in any case.
 *
 * @example
 * const message = await verifyWebhook([secret], request.headers, await request.text());
 *
 * @throws {TypeError} an option is unknown, no secret is given, or one is not `whsec_` and base64, or the body was parsed
 */
export function verifyWebhook<D extends Definition = DefaultDefinition>(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  options: VerifyOptions = {},
): ResultAsync<WebhookMessage<D>, WebhookRejected> {
  assertOptions(options, ['toleranceSeconds', 'now']);
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(readSecret);
  if (keys.length === 0) throw new TypeError('verifyWebhook needs at least one secret');
  if (!isRaw(rawBody))
    throw new TypeError(
      'verifyWebhook: pass the raw body, as text or bytes: the signature is of these, and a parser lost them',
    );
  return new ResultAsync(verify<D>(keys, headers, rawBody, options));
}

async function verify<D extends Definition>(
  keys: readonly Uint8Array<ArrayBuffer>[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions,
): Promise<Result<WebhookMessage<D>, WebhookRejected>> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signature = headerOf(headers, 'webhook-signature');
  if (id === null || timestamp === null || signature === null) return err({ type: 'missing_header' });
  // Not NaN, which every comparison rejects or accepts.
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds))
    return err({ type: 'timestamp_out_of_range' });
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  if (!(await isSigned(keys, signature, signed))) return err({ type: 'invalid_signature' });
  return parseMessage<D>(id, body);
}

async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const signatures = signature
    .split(' ')
    .slice(0, SIGNATURES_MAX)
    .flatMap((each) => (each.startsWith('v1,') ? (decode(each.slice(3)) ?? []) : []));
  const imported = await Promise.all(keys.map((key) => crypto.subtle.importKey('raw', key, HMAC, false, ['verify'])));
  // All of them, so that the time does not depend on which one fits.
  const checks = imported.flatMap((key) => signatures.map((each) => crypto.subtle.verify('HMAC', key, each, signed)));
  return (await Promise.all(checks)).includes(true);
}

function parseMessage<D extends Definition>(id: string, body: Uint8Array): Result<WebhookMessage<D>, WebhookRejected> {
  try {
    const message: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const isMessage =
      isObject(message) &&
      typeof message['type'] === 'string' &&
      typeof message['timestamp'] === 'string' &&
      isObject(message['data']) &&
      message['data']['id'] === id &&
      // No other id than the signed one, by which receivers recognize a repeated message.
      (!('id' in message) || message['id'] === id);
    if (isMessage) return ok(uncheckedCast<WebhookMessage<D>>({ ...message, id }));
  } catch {
    // Neither JSON nor text.
  }
  return err({ type: 'invalid_body' });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Whether a body is text or bytes, of any realm. */
function isRaw(body: unknown): boolean {
  return (
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    Object.prototype.toString.call(body) === '[object ArrayBuffer]'
  );
}

/** Returns the value of a header; `null` without one, or with several. A proxy or a test may keep the case of names. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  const values: readonly unknown[] =
    'get' in headers && typeof headers.get === 'function'
      ? [headers.get(name)]
      : Object.keys(headers).flatMap((key): unknown => (key.toLowerCase() === name ? Reflect.get(headers, key) : []));
  const [value] = values;
  return typeof value === 'string' && values.length === 1 ? value : null;
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith('whsec_') ? decode(secret.slice('whsec_'.length)) : null;
  // The message must not contain the secret.
  if (!key || key.length === 0) throw new TypeError('a secret must be whsec_ and base64');
  return key;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null; // Not base64.
  }
}
