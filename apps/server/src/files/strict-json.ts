import { findJsonExcess } from '@orders/http-adapter/settings';
import { err, ok, type Result } from 'neverthrow';
import { reasonOf } from '../operator-error.ts';
import { findDuplicateMember } from './duplicate-members.ts';
import { decodeUtf8 } from './utf8-chunks.ts';

/**
 * Maximum number of members and elements in a JSON text of a file: those of an order with all that it can have, and some more.
 * What they become takes many times the memory of their bytes.
 */
export const JSON_VALUES_MAX = 50_000;
/** Maximum number of objects and arrays that a value in a JSON text of a file is nested in. */
export const JSON_DEPTH_MAX = 40;

/**
 * Parses a JSON text of a file. Returns what is wrong with it instead, as the end of a sentence: it is no JSON in UTF-8, has
 * more than {@link JSON_VALUES_MAX} or {@link JSON_DEPTH_MAX}, which is found before it is parsed, or an object has a member
 * twice, of which `JSON.parse` keeps the last one. `line` is the first line of the text.
 */
export function parseStrictJson(bytes: Uint8Array, line = 1): Result<unknown, string> {
  const excess = findJsonExcess(bytes, { values: JSON_VALUES_MAX, depth: JSON_DEPTH_MAX });
  if (excess === 'values') return err(`has more than ${JSON_VALUES_MAX} members and elements`);
  if (excess === 'depth') return err(`is nested more than ${JSON_DEPTH_MAX} times`);
  const text = decodeUtf8(bytes);
  if (text === null) return err('is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return err(`is not valid JSON: ${reasonOf(cause)}`);
  }
  const duplicate = findDuplicateMember(text, line);
  return duplicate ? err(`has a member twice: ${duplicate.path.join('.')} ${duplicate.message}`) : ok(value);
}
