import { z } from 'zod';
import { Rejection } from '../shared/problem.ts';

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

const cancellation = z.strictObject({ reason: z.string().max(500).nullish() });

export const parseNewOrder = (body) => parse(newOrder, body);
export const parseCancellation = (body) => parse(cancellation, body ?? {});

function parse(schema, body) {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Rejection('validation_failed', { errors: parsed.error.issues.map(toField) });
}

function toField({ path, code, origin, message }) {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return { field: field.replace(/^\./, ''), message, code: codeOf(code, origin) };
}

function codeOf(code, origin) {
  const ofText = origin === 'string' || origin === 'array';
  if (code === 'too_small') return ofText ? 'too_short' : 'out_of_range';
  if (code === 'too_big') return ofText ? 'too_long' : 'out_of_range';
  if (code === 'invalid_type') return 'wrong_type';
  return code === 'unrecognized_keys' ? 'unknown_field' : 'invalid_value';
}
