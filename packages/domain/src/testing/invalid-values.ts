/** Texts that UTF-8 cannot encode or PostgreSQL cannot store, with names for test titles. */
export const UNSTORABLE_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['U+0000', 'a\u0000b'],
  ['the first half of a surrogate pair', 'a\ud800b'],
  ['the second half of a surrogate pair', '\udfff'],
];

/** Times that are not a `Timestamp`: in another format, or of a nonexistent date. */
export const INVALID_TIMESTAMPS: readonly string[] = [
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.6Z',
  '2026-01-02T03:04:05.678912Z',
  '2026-01-02T03:04:05.678+00:00',
  '2026-01-02T05:04:05.678+02:00',
  '2026-01-02 03:04:05.678Z',
  '2026-02-30T00:00:00.000Z',
  '2026-01-02T24:00:00.000Z',
  '2026-01-02T23:59:60.000Z',
  '0000-01-01T00:00:00.000Z',
  'infinity',
];

/** Values that a callback throws. An adapter must not treat them as database errors, and must not retry. */
export const THROWN_VALUES: readonly (readonly [name: string, thrown: unknown])[] = [
  ['an error', new Error('a bug in the change')],
  ['an error that looks like a constraint violation', Object.assign(new Error('duplicate'), { code: '23505' })],
  ['an error that looks like a lost connection', Object.assign(new Error('lost'), { code: 'ECONNRESET' })],
  ['an error that looks like a deadlock', Object.assign(new Error('deadlock'), { code: '40P01' })],
  ['nothing', undefined],
];

/** Versions of a changed aggregate and of its event, of which at least one is not 2, the next one after 1. */
export const WRONG_VERSIONS: readonly (readonly [version: number, versionOfEvent: number])[] = [
  [1, 1],
  [1, 2],
  [2, 1],
  [2, 3],
  [3, 2],
  [3, 3],
];
