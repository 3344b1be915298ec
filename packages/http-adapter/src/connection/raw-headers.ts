import type { IncomingMessage } from 'node:http';

/** Every value of a header as it was sent: Node.js joins the repetitions of some and keeps one of others. */
export function sentValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  // By hand, and only names of the right length: this is on the way of every request.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
