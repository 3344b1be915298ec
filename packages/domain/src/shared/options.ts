import { isPlainObject } from './validation.ts';

/**
 * Throws unless `options` is an object that has no members but those `known`. Any other member is a bug of the caller: a
 * misspelt option would have no effect.
 *
 * @throws {TypeError} the message names the unknown member and those that are known
 */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (!isPlainObject(options)) throw new TypeError('options must be an object');
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`unknown option "${name}", expected ${known.join(', ')}`);
  }
}
