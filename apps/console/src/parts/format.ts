import { minorUnits } from '../../../../packages/domain/src/shared/currencies.ts';
import type { Money } from '../api/types.ts';

/** Returns an amount with the digits of its currency, without the currency. A minus sign is no hyphen. */
export function digits({ amount, currency }: Money): string {
  const places = minorUnitsOf(currency);
  const text = String(Math.abs(amount)).padStart(places + 1, '0');
  const whole = BigInt(places === 0 ? text : text.slice(0, -places)).toLocaleString('en');
  const number = places === 0 ? whole : `${whole}.${text.slice(-places)}`;
  return amount < 0 ? `−${number}` : number;
}

/** Returns an amount with its currency behind it. */
export function money(value: Money): string {
  return `${digits(value)} ${value.currency}`;
}

/** Returns a difference with its sign. */
export function signed(value: Money): string {
  return value.amount > 0 ? `+${digits(value)}` : digits(value);
}

function minorUnitsOf(currency: string): number {
  try {
    return minorUnits(currency);
  } catch {
    return 2;
  }
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns how long something lasted, in its largest unit. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  const number = Math.round(seconds / size);
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** Returns how long ago, or in how long, a time is. */
export function relative(at: string, now = Date.now()): string {
  const ms = Date.parse(at) - now;
  if (Math.abs(ms) < 1000) return 'now';
  return ms < 0 ? `${duration(-ms)} ago` : `in ${duration(ms)}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const CLOCK_SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Returns the day of a time in the zone of the operator, with the year unless it is this one. */
export function day(at: string): string {
  const date = new Date(at);
  if (date.toDateString() === new Date().toDateString()) return 'Today';
  return (date.getFullYear() === new Date().getFullYear() ? DAY : DAY_OF_YEAR).format(date);
}

/** Returns the time of day in the zone of the operator. */
export function clock(at: string, { seconds = false } = {}): string {
  return (seconds ? CLOCK_SECONDS : CLOCK).format(new Date(at));
}

/** Returns a name of the API as words. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** What a field for an amount takes. */
export const AMOUNT = { inputMode: 'decimal', pattern: String.raw`\d+([.,]\d+)?` } as const;

/** Returns a typed amount in minor units; 0 for what is no amount. A comma is a point, too. */
export function toMinorUnits(text: string, currency: string): number {
  const [, whole = '0', part = ''] = /^(\d+)(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  const places = minorUnitsOf(currency);
  return Number(`${whole}${part.slice(0, places).padEnd(places, '0')}`);
}
