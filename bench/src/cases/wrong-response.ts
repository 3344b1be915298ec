/** An answer was not the right one, so that no figure of the run means anything. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}
