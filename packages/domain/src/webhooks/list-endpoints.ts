import type { ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import { type PageQueryInput, parsePageQuery } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookPorts } from './webhooks.ts';

/** Returns one page of the owner's endpoints, with the guarantees of `listOrders` about consecutive pages. */
export function listEndpoints(
  { endpoints }: WebhookPorts,
  owner: Owner,
  input: PageQueryInput = {},
): ResultAsync<Page<WebhookEndpoint, Timestamp>, Unavailable | ValidationFailed> {
  return parsePageQuery(input).asyncAndThen((query) => endpoints.list(owner, query));
}
