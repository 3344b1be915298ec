import { T } from '../../texts.ts';

/** The texts of the page of webhooks. */
export const W = {
  endpoints: 'Endpoints',
  endpoint: 'Endpoint',
  owner: 'Owner',
  health: 'Health',
  lastSuccess: 'Last accepted',
  waiting: 'Waiting',
  never: 'never',
  accepts: 'accepts',
  new: 'nothing was sent yet',
  failingFor: 'has failed for',
  disabled: 'disabled',
  none: 'No owner has a webhook endpoint.',
  noneHelp: 'An owner registers one by the API, and gets each event at it, signed and in order:',
  deliveries: {
    failed: 'Deliveries that failed for good',
    pending: 'Deliveries that wait',
    delivered: 'Deliveries that were accepted',
  },
  show: 'Show',
  kinds: { failed: 'failed', pending: 'waiting', delivered: 'accepted' },
  time: {
    add: '+ status, time of the event…',
    from: 'Since',
    before: 'Before',
    day: 'On',
    done: 'Show these deliveries',
    remove: (end: string) => `Remove ${end}`,
  },
  event: 'Event',
  attempts: 'Attempts',
  last: 'Last response',
  occurred: 'Event at',
  isDue: 'due',
  notTried: 'not tried yet',
  noDeliveries:
    'None. What an endpoint has not accepted yet waits for its next attempt, and is no failure until the last.',
  noneWait: 'None waits.',
  noneOfFilter: 'None was accepted.',
  more: 'Show more',
  resume: {
    open: 'Send what waits…',
    title: 'Send what waits',
    about:
      'What waits is sent at once, with ten new attempts. A disabled endpoint is enabled, and gets what failed and all events since.',
    done: 'Send it now',
    sent: 'It is sent in the next seconds',
  },
  test: {
    open: 'Test…',
    title: 'Send a test',
    about:
      'One message of the type webhook_endpoint.test is sent at once, also to a disabled endpoint. It is not sent again.',
    why: 'Recorded with your name. The owner sees the message alone.',
    done: 'Send a test',
    accepted: (status: number | null, ms: number) => `Accepted: HTTP ${status} in ${ms.toLocaleString('en')} ms`,
    refused: (what: string, ms: number) => `Not accepted: ${what} after ${ms.toLocaleString('en')} ms`,
  },
  rotate: {
    open: 'Rotate secret…',
    title: 'Rotate the secret',
    about: 'Makes a new secret, which this dialog shows once. The receiver needs it before the old one ends.',
    why: T.whyHint,
    done: 'Rotate the secret',
    overlap: 'Hours for which the old secret signs, too',
    overlapHint: 'With 0 it ends now. An older one always does.',
    secret: 'The new secret',
    once: 'Store it, or hand it to the owner: it is never shown again.',
    stored: 'I have stored it',
  },
  redeliver: {
    open: 'Send these again…',
    title: 'Send again',
    about: 'All that matches what the list shows is sent again, not only this page. First it is counted.',
    accepted:
      'All that was accepted in this time is sent again: by when it was accepted, while the list goes by the time of the event. First it is counted.',
    stays:
      'Each event is sent again with its id, so that a receiver which has it already ignores it. Nothing that fails later is taken.',
    found: (number: number) =>
      `${number.toLocaleString('en')} ${number === 1 ? 'delivery' : 'deliveries'} would be sent again.`,
    start: (number: number) => `Send ${number === 1 ? 'it' : `these ${number.toLocaleString('en')}`} again`,
    running: (taken: number, matched: number) =>
      `${taken.toLocaleString('en')} of ${matched.toLocaleString('en')} queued`,
    done: 'All of them are queued. They are delivered in the next seconds.',
  },
} as const;
