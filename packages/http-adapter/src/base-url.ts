import { err, ok, type Result } from 'neverthrow';
import type { BaseUrl } from './problems/problem.ts';

const RULE = 'must be an http or https URL without user info, query or fragment';

/**
 * Parses the URL at which clients reach the API. Returns it normalized and without a trailing slash, so that a path can
 * be appended. The error reads as a sentence after the name of the option. It never contains the text, which may include
 * a password.
 */
export function parseBaseUrl(text: string): Result<string, string> {
  if (!URL.canParse(text)) return err(RULE);
  const { protocol, username, password, origin, pathname, href } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  // In `href`, because an empty query or fragment leaves `search` and `hash` empty.
  if (!isHttp || username !== '' || password !== '' || /[?#]/.test(href)) return err(RULE);
  return ok(`${origin}${pathname}`.replace(/\/+$/, ''));
}

/**
 * Returns the base URL that an option configures. A function is called for each problem, and its result is not checked.
 *
 * @throws {TypeError} for a text that {@link parseBaseUrl} rejects
 */
export function baseUrlOf(option: string | BaseUrl): BaseUrl {
  if (typeof option === 'function') return option;
  const url = parseBaseUrl(option).match(
    (parsed) => parsed,
    (rule) => {
      throw new TypeError(`publicBaseUrl ${rule}`);
    },
  );
  return () => url;
}
