import { report } from '../terminal.ts';

/** The time between two lines about the progress, in milliseconds. */
const INTERVAL_MS = 2000;

/** Reports what a long command has done, on standard error. */
export class Progress {
  readonly #begun = performance.now();
  readonly #verb: string;
  readonly #unit: string;
  readonly #timer: NodeJS.Timeout;
  #count = 0;
  #part = 0;

  /** `verb` is what happens to the units, such as `exported`. */
  constructor(verb: string, unit = 'records') {
    this.#verb = verb;
    this.#unit = unit;
    this.#timer = setInterval(() => report(this.#line()), INTERVAL_MS);
  }

  /** Adds units. `part` is the part of the work that is done with them, from 0 to 1. Default: unknown. */
  add(count: number, part = 0): void {
    this.#count += count;
    // What is imported together may end in another order.
    this.#part = Math.max(this.#part, part);
  }

  /** Ends the reports with a last line. */
  end(summary: string): void {
    this.stop();
    report(`${summary} in ${(this.#elapsed() / 1000).toFixed(1)} s`);
  }

  /** Ends the reports. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #elapsed(): number {
    return performance.now() - this.#begun;
  }

  #line(): string {
    const seconds = this.#elapsed() / 1000;
    const left = this.#part > 0 ? `, ${Math.ceil((seconds / this.#part) * (1 - this.#part))} s left` : '';
    return `${this.#verb} ${this.#count} ${this.#unit} in ${Math.round(seconds)} s${left}`;
  }
}
