import { WEBHOOK_URL_LENGTH_MAX, type WebhookTargets } from '@orders/domain/webhooks';
import { err, ok, type Result } from 'neverthrow';
import { type AddressPolicy, addressPolicy, type AddressRules } from './address-rules.ts';

/** The only port of targets that no rule allows. */
export const HTTPS_PORT = 443;

/** A URL whose text is permitted. */
export interface Target {
  readonly url: URL;
  /** Whether it is HTTPS at port 443, as required for addresses that no rule allows. */
  readonly isStandard: boolean;
  /** The addresses that the host itself states, all permitted; `null` for a name, whose addresses DNS has. */
  readonly addresses: readonly string[] | null;
}

/** Creates the port that decides which URLs an endpoint may have. */
export function webhookTargets(rules: AddressRules = {}): WebhookTargets {
  const policy = addressPolicy(rules);
  return { parse: (text) => parseTarget(text, policy).map(({ url }) => url.href) };
}

/** Parses the URL of an endpoint, or returns why it is rejected. */
export function parseTarget(text: string, policy: AddressPolicy, httpsPort = HTTPS_PORT): Result<Target, string> {
  const url = text.length <= WEBHOOK_URL_LENGTH_MAX ? URL.parse(text) : null;
  if (!url || url.href.length > WEBHOOK_URL_LENGTH_MAX) {
    return err(`must be an absolute URL of at most ${WEBHOOK_URL_LENGTH_MAX} characters`);
  }
  const isHttps = url.protocol === 'https:';
  const isStandard = isHttps && Number(url.port || HTTPS_PORT) === httpsPort;
  if (!isHttps && url.protocol !== 'http:') return err('must be an https URL');
  if (url.username !== '' || url.password !== '') return err('must not contain a user or a password');
  const addresses = statedAddresses(url.hostname);
  if (addresses?.some((address) => !policy.permits(address, true))) return err('must have a public host');
  const isPermitted = addresses?.every((address) => policy.permits(address, isStandard)) ?? policy.hasExceptions;
  if (!isStandard && !isPermitted) return err(isHttps ? `must use port ${HTTPS_PORT}` : 'must be an https URL');
  return ok({ url, isStandard, addresses });
}

/** Returns the addresses of a host that needs no DNS: an IP address, or a name of the machine itself (RFC 6761). */
function statedAddresses(hostname: string): readonly string[] | null {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)];
  // The URL parser turns every other notation of an IPv4 address into this one.
  if (/^[\d.]+$/.test(hostname)) return [hostname];
  return /(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : null;
}
