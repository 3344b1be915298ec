import { RETRY_AFTER_MAX_MS } from '@orders/domain/webhooks';

/** The three formats of RFC 9110 section 5.6.7: that of today, that of RFC 850 and that of asctime. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

type Header = string | readonly string[] | undefined;

/**
 * Returns the wait that `Retry-After` requires, in milliseconds, from 0 to {@link RETRY_AFTER_MAX_MS}; `null` if it is
 * absent or malformed. A date is compared with the `Date` of the same response, so that the clocks may differ.
 */
export function retryAfterOf(headers: Readonly<Record<string, Header>>, now: Date): number | null {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : httpDate(value) - sentAt(headers['date'], now);
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
}

function sentAt(date: Header, now: Date): number {
  const sent = typeof date === 'string' ? httpDate(date) : Number.NaN;
  return Number.isNaN(sent) ? now.getTime() : sent;
}

function httpDate(text: string): number {
  if (!HTTP_DATES.some((format) => format.test(text))) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
