/** A response that differs from the expected one, which makes the figures of the run meaningless. */
export class WrongResponse extends Error {
  override readonly name = 'WrongResponse';
}
