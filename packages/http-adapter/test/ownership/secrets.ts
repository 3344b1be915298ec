import type { ProbeResponse, ProbeRequest } from './exchange.ts';
import type { Party } from './party.ts';

/** The secrets of `victim` that an answer tells somebody who did not send them, nor knows them by `known`. */
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

/** A text and what is encoded in it, in small letters. */
function readable(text: string): string {
  const encoded = text.match(/[\w-]{40,}/g) ?? [];
  return [text, ...encoded.map((each) => Buffer.from(each, 'base64url').toString('latin1'))].join('\n').toLowerCase();
}
