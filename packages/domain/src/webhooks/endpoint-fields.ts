import { type EventType, eventTypesOf, FEED_INCLUDES, type FeedInclude } from '../event-types.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { type InvalidFields, isLongerThan, readSet } from '../shared/validation.ts';
import {
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_ENDPOINT_STATUSES,
  WEBHOOK_URL_LENGTH_MAX,
  type WebhookEndpointStatus,
} from './webhook-endpoint.ts';
import type { WebhookTargets } from './webhook-targets.ts';

/** Fields of an endpoint that only the system sets. A command that contains one is rejected with `read_only`. */
export const ENDPOINT_READ_ONLY_FIELDS = ['id', 'disabled_reason', 'version', 'created_at', 'updated_at'];

/** Reads the URL of an endpoint and returns its normal form. */
export function readUrl(input: unknown, targets: WebhookTargets, invalid: InvalidFields): string | undefined {
  const text = invalid.readText(input, 'url', 1, WEBHOOK_URL_LENGTH_MAX);
  if (text === undefined) return undefined;
  return targets.parse(text).match(
    (url) => {
      // The normal form encodes characters, so that it may be longer.
      if (!isLongerThan(url, WEBHOOK_URL_LENGTH_MAX)) return url;
      return invalid.add(
        'url',
        'too_long',
        `must have at most ${WEBHOOK_URL_LENGTH_MAX} characters once it is encoded`,
      );
    },
    (message) => invalid.add('url', 'invalid_value', message),
  );
}

/** Reads the accepted types of events; an absent value and `null` mean every type but those of imports. */
export function readTypes(
  input: unknown,
  definition: OrderDefinition,
  invalid: InvalidFields,
): readonly EventType<OrderDefinition>[] | null {
  if (input === undefined || input === null) return null;
  return readEach(input, 'types', eventTypesOf(definition), 1, invalid) ?? null;
}

/** Reads what each event includes; an absent value and `null` mean nothing. */
export function readInclude(input: unknown, invalid: InvalidFields): readonly FeedInclude[] {
  return readEach(input ?? [], 'include', FEED_INCLUDES, 0, invalid) ?? [];
}

/** Reads a set of at least `min` of the `known` texts, and adds an invalid field for each element that is not one. */
function readEach<Known extends string>(
  input: unknown,
  path: string,
  known: readonly Known[],
  min: number,
  invalid: InvalidFields,
): readonly Known[] | undefined {
  if (!Array.isArray(input) || input.length < min || input.length > known.length)
    return readSet(input, path, known, min, invalid);
  for (const [index, value] of input.entries()) invalid.readOneOf(value, `${path}[${index}]`, known);
  return known.filter((one) => input.includes(one));
}

/** Reads the description of an endpoint; an absent value and `null` mean no description. */
export function readDescription(input: unknown, invalid: InvalidFields): string | null {
  if (input === undefined || input === null) return null;
  return invalid.readText(input, 'description', 1, WEBHOOK_DESCRIPTION_LENGTH_MAX) ?? null;
}

/** Reads the status of an endpoint. */
export function readStatus(input: unknown, invalid: InvalidFields): WebhookEndpointStatus | undefined {
  if (input === null) return invalid.add('status', 'required', 'is required');
  return invalid.readOneOf(input, 'status', WEBHOOK_ENDPOINT_STATUSES);
}
