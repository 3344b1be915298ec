/** The server cannot start for a reason that the person who started it can mend; the message says all of them. */
export class StartupError extends Error {
  override readonly name = 'StartupError';

  /** One line a mistake, each beginning with the name of the variable it is about. */
  constructor(mistakes: readonly string[], options?: ErrorOptions) {
    super(mistakes.map((mistake) => `  ${mistake}`).join('\n'), options);
  }
}
