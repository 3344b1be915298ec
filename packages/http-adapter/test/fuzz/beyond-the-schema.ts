import type { ApiResponse } from '../fixtures/a-client.ts';
import { isRecord, textAt } from '../fixtures/json.ts';
import { fieldsOf, type FuzzRequest } from '../hostile/fuzz-requests.ts';

/**
 * The codes and the fields with which the API may reject a request that the document allows: a schema cannot express the rules
 * about them, or not in a comprehensible way. When each rule is broken is tested where the rule is.
 */
const CODES = [
  'amount_out_of_range',
  'conflicting_parameters',
  'currency_mismatch',
  'idempotency_key_reused',
  'invalid_cursor',
  'invalid_parameter',
  'negative_total',
  'validation_failed',
];
const FIELDS = [
  // Currencies, totals and signs of amounts, and what an adjustment belongs to.
  /^items(\[\d+\](\.unit_price\.currency|\.item_id)?)?$/,
  /^adjustments(\[\d+\]\.(amount\.(amount|currency)|included|item|item_id))?$/,
  // What an order has at most, whom and what it belongs to, and an address without a country.
  /^(metadata|external_ids(\[".*"\]\[\d+\])?|customer_id|buyer|(shipping|billing)_address\.country|cancel_reason|url)$/s,
  // What lists and figures cannot have together, and cursors of others.
  /^(after|at|(created_at_|updated_at_)?before|from|ids|offset|reference_prefix|sort|start|time_zone)$/,
];

/** Statuses of an invalid request. */
const INVALID = [400, 422];

/** Returns the code or fields of a rejection that no rule explains. */
export function unexplained({ body }: FuzzRequest, response: ApiResponse): readonly string[] {
  if (!INVALID.includes(response.status)) return [];
  const code = textAt(response.body, 'code');
  if (!CODES.includes(code)) return [code];
  const strange = new Set(illFormed(body?.value, ''));
  return fieldsOf(response).filter((field) => !strange.has(field) && !FIELDS.some((known) => known.test(field)));
}

/** Returns the fields of text that is no well-formed Unicode. The domain reports custom data as a whole. */
function illFormed(value: unknown, field: string): readonly string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [field.replace(/^custom[.[].*/s, 'custom')];
  if (Array.isArray(value)) return value.flatMap((each, index) => illFormed(each, `${field}[${index}]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const isMap = /(^|\.)metadata$|^external_ids$/.test(field);
    const below = isMap ? `${field}[${JSON.stringify(name)}]` : field === '' ? name : `${field}.${name}`;
    return [...illFormed(name, below), ...illFormed(member, below)];
  });
}
