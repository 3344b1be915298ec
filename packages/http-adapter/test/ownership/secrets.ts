import type { ProbeResponse, ProbeRequest } from './exchange.ts';
import type { Party } from './party.ts';

/** Returns the secrets of `victim` in a response, except those that the request or `known` contains. */
export function leakedSecrets(
  victim: Party,
  request: ProbeRequest,
  { headers, body }: ProbeResponse,
  known = '',
): readonly string[] {
  const response = readable([...headers.flat(), body].join('\n'));
  if (![...victim.secrets].some((secret) => response.includes(secret.toLowerCase()))) return [];
  const sent = readable(
    [decodeURIComponent(request.url), ...Object.values(request.headers), request.payload ?? '', known].join('\n'),
  );
  return [...victim.secrets].filter((secret) => {
    const spelled = secret.toLowerCase();
    return response.includes(spelled) && !sent.includes(spelled);
  });
}

/** Returns a text and its decoded parts, in lower case. */
function readable(text: string): string {
  const encoded = text.match(/[\w-]{40,}/g) ?? [];
  return [text, ...encoded.map((each) => Buffer.from(each, 'base64url').toString('latin1'))].join('\n').toLowerCase();
}
