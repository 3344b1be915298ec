import type { IncomingMessage } from 'node:http';

/** Every value of a header as it was sent: Node.js joins the repetitions of some and keeps one of others. */
export function sentValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
