import { z } from 'zod';
import { Rejection } from './problem.ts';

const item = z.strictObject({
  sku: z.string().min(1).max(64),
  name: z.string().min(1).max(255),
  quantity: z.int().min(1).max(1_000_000),
  unit_price: z.strictObject({ amount: z.int().min(0).max(1e12), currency: z.string().regex(/^[A-Z]{3}$/) }),
});

const newOrder = z.strictObject({
  items: z.array(item).min(1).max(100),
  customer_id: z.uuid().nullish(),
  reference: z.string().min(1).max(64).nullish(),
  note: z.string().max(2000).nullish(),
  metadata: z.record(z.string().max(40), z.string().max(500)).nullish(),
});

/** A valid body of a new order. */
export type NewOrder = z.infer<typeof newOrder>;

const cancellation = z.strictObject({ reason: z.string().max(500).nullish() });

/** Returns the body of a new order, or rejects all of its invalid fields. */
export const parseNewOrder = (body: unknown): NewOrder => parse(newOrder, body);
export const parseCancellation = (body: unknown) => parse(cancellation, body ?? {});

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => {
    const field = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    const ofText = 'origin' in issue && (issue.origin === 'string' || issue.origin === 'array');
    return { field: field.replace(/^\./, ''), message: issue.message, code: codeOf(issue.code, ofText) };
  });
  throw new Rejection('validation_failed', { errors });
}

function codeOf(code: string, ofText: boolean): string {
  if (code === 'too_small') return ofText ? 'too_short' : 'out_of_range';
  if (code === 'too_big') return ofText ? 'too_long' : 'out_of_range';
  if (code === 'invalid_type') return 'wrong_type';
  return code === 'unrecognized_keys' ? 'unknown_field' : 'invalid_value';
}
