import type { Answered, Asked } from './exchange.ts';
import type { Party } from './party.ts';

/** The secrets of `victim` that an answer tells somebody who did not send them, nor knows them by `known`. */
export function told(victim: Party, asked: Asked, { headers, body }: Answered, known = ''): readonly string[] {
  const answer = readable([...headers.flat(), body].join('\n'));
  if (![...victim.secrets].some((secret) => answer.includes(secret.toLowerCase()))) return [];
  const sent = readable(
    [decodeURIComponent(asked.url), ...Object.values(asked.headers), asked.payload ?? '', known].join('\n'),
  );
  return [...victim.secrets].filter((secret) => {
    const spelled = secret.toLowerCase();
    return answer.includes(spelled) && !sent.includes(spelled);
  });
}

/** A text and what is encoded in it, in small letters. */
function readable(text: string): string {
  const encoded = text.match(/[\w-]{40,}/g) ?? [];
  return [text, ...encoded.map((each) => Buffer.from(each, 'base64url').toString('latin1'))].join('\n').toLowerCase();
}
