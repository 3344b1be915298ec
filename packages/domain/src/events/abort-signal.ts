/** The members of an `AbortSignal` that the feed needs. The signals of Node.js and browsers fit. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
