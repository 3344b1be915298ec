import type { ProblemCode } from './api/types.ts';

/** All texts of the console, so that they are read and translated in one place. */
export const T = {
  console: 'Orders console',
  places: { orders: 'Orders', customers: 'Customers', webhooks: 'Webhooks', owners: 'Owners', overview: 'Overview' },
  skip: 'Skip to the content',
  find: 'Find an order',
  findHint: 'Order id, reference, payment id, email…',
  loading: 'Loading',
  copy: 'copy',
  copied: 'Copied',
  terminal: 'The same in a terminal:',
  inTerminal: 'The same in a terminal',
  close: 'Close',
  back: 'Keep the order as it is',
  signOut: 'Sign out',
  retry: 'Try again',
  older: 'Older',
  newest: 'Newest',
  hidden: 'Hidden from your role',
  none: '—',
  keys: {
    title: 'Keyboard',
    rows: [
      ['/', 'find an order'],
      ['j  k', 'next and previous row, on an order the next and previous change'],
      ['f', 'filter the list'],
      ['a', 'the first action of the page; Tab leads to the next one'],
      ['Enter', 'open the row, or show the order as of the change'],
      ['Esc', 'close a dialog'],
      ['?', 'these keys'],
    ],
  },
  signIn: {
    title: 'Sign in',
    withLink: 'This link signs you in once, for eight hours. An hour without a request ends the session earlier.',
    button: 'Sign in to this console',
    without:
      'You need a link. On a machine that reaches the database, this prints one that works once, within 15 minutes:',
    command: 'pnpm orders operators create Ada --role support',
    another: 'Or, for an operator who exists already, by the id that operators list prints:',
    linkCommand: 'pnpm orders operators link ID',
    paste: 'Link or token',
    expired: 'Your session has ended',
    kept: 'What you typed is kept on this page. Paste a new link, or open it in another tab, and go on.',
  },
  down: 'The server or its database does not respond. This page shows what was read before, and changes nothing until it is back. It tries again every three seconds.',
  problem: {
    unreachable: 'The server does not respond',
    readAgain: 'This is read again as soon as the server is back.',
    sendAgain: 'Whether it was done is not known. What you typed is kept: send it again once the server is back.',
    request: 'Request',
    remedy: {
      insufficient_scope: 'Your role may not do this. An administrator can create a link with another role.',
      rate_limited: 'Wait a minute: an operator may send 600 requests a minute.',
      unavailable: 'The server or its database is busy or down. Try again; `orders doctor` says what is wrong.',
      order_not_found: 'The id may belong to another owner, or the order was deleted and its history purged.',
    } satisfies Partial<Record<ProblemCode, string>> as Readonly<Record<string, string>>,
  },
  why: 'Why you do this',
  whyHint: 'Recorded with your name. The owner sees that an operator did it, not the reason.',
  changedBy: (who: string, ago: string) => `Changed by ${who} ${ago}, after you opened this page.`,
  changedHelp: 'What you typed is kept. Look at the change, then save on top of it.',
  loadChange: 'Load the change',
  job: {
    count: 'Count them',
    counting: 'Counting…',
    nothing: 'Nothing matches: there is nothing to do.',
    failed: (number: number) => `${number.toLocaleString('en')} of them in vain; orders jobs has the errors.`,
  },
  recorded: 'That you have read this order is recorded.',
} as const;

/** Returns a count with its noun. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
