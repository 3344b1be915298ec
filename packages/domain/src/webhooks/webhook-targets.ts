import type { Result } from 'neverthrow';

/** Port: decides which URLs an endpoint may have. */
export interface WebhookTargets {
  /**
   * Returns a URL in its normal form, or why it is rejected, such as `must be an https URL`. It checks the text alone:
   * the addresses of a host name are checked with every request, because they change.
   */
  parse(url: string): Result<string, string>;
}
