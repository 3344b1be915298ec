import { minorUnits } from '@orders/domain';

/** An amount of money in minor units. */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** What a conversion had to change, and what it left out. */
export class Report {
  /** Amounts that were finer than their currency. */
  rounded = 0;
  /** Texts that were too long. */
  cut = 0;
  /** Why orders are missing. */
  readonly failures: string[] = [];
  readonly #left = new Map<string, { readonly first: string; orders: number }>();

  /**
   * Returns an amount such as `19.99` in minor units of its currency. Those that are finer are rounded, half away from zero.
   * Commas between thousands are accepted where a decimal point follows.
   *
   * @throws {Error} it is no amount; `name` says which one
   */
  money(amount: string | number, currency: string, name: string): Money {
    const text = String(amount);
    const plain = /^-?\d{1,3}(,\d{3})+\.\d+$/.test(text) ? text.replaceAll(',', '') : text;
    // Computed amounts that are as good as nothing are written with an exponent.
    const [, sign, whole = '', fraction = ''] =
      /^(-?)(\d+)(?:\.(\d+))?$/.exec(/e-\d+$/.test(plain) ? '0' : plain) ?? [];
    if (sign === undefined) throw new Error(`${name} is no amount: ${JSON.stringify(amount)}`);
    const digits = minorUnits(currency);
    const rest = fraction.slice(digits);
    const minor = Number(whole + fraction.slice(0, digits).padEnd(digits, '0')) + (/^[5-9]/.test(rest) ? 1 : 0);
    // What a sum of binary fractions adds is no part of the amount.
    if (/[1-9]/.test(rest) && !/^(0{6}|9{6})/.test(rest)) this.rounded += 1;
    return { amount: sign === '-' && minor !== 0 ? -minor : minor, currency };
  }

  /** Returns a text of at most `max` characters. */
  text(text: string, max: number): string {
    const characters = Array.from(text);
    if (characters.length <= max) return text;
    this.cut += 1;
    return characters.slice(0, max).join('');
  }

  /** Counts an order of which something is left out. */
  leave(what: string, order: string): void {
    const left = this.#left.get(what) ?? { first: order, orders: 0 };
    left.orders += 1;
    this.#left.set(what, left);
  }

  /** Returns an order, or `null` if it cannot be converted. */
  attempt<T>(order: string, convert: () => T): T | null {
    try {
      return convert();
    } catch (cause) {
      this.failures.push(`${order}: ${cause instanceof Error ? cause.message : String(cause)}`);
      return null;
    }
  }

  /** Returns what to say at the end. */
  lines(): readonly string[] {
    const left = [...this.#left].map(([what, { orders, first }]) => `${what} (${orders}, first ${first})`);
    const lines = [
      ...this.failures,
      ...(this.rounded === 0 ? [] : [`${this.rounded} amounts were rounded to the minor units of their currency`]),
      ...(this.cut === 0 ? [] : [`${this.cut} texts were cut, because they were too long`]),
      ...(left.length === 0 ? [] : [`left out, with the number of orders: ${left.join(', ')}`]),
    ];
    // A name in a file must not control the terminal.
    return lines.map((line) => line.replaceAll(/\p{Cc}/gu, ' '));
  }
}
