/**
 * Random numbers that depend on a seed, a label and how often the label was drawn, and on nothing else. So a run in which one
 * thing happens less is otherwise like the run before, which is what makes a failure shrink.
 */
export class Draws {
  readonly #seed: number;
  readonly #labels = new Map<string, { readonly hash: number; count: number }>();

  constructor(seed: number) {
    this.#seed = mix(seed);
  }

  /** Returns the next number of a label, from 0 to less than 1. */
  next(label: string): number {
    let drawn = this.#labels.get(label);
    if (!drawn) this.#labels.set(label, (drawn = { hash: hashOf(label), count: 0 }));
    drawn.count += 1;
    return mix(this.#seed ^ mix(drawn.hash + Math.imul(drawn.count, 0x9e_37_79_b9))) / 2 ** 32;
  }

  /** Returns the next integer of a label, from 0 to `count - 1`. */
  below(count: number, label: string): number {
    return Math.floor(this.next(label) * count);
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  return hash;
}

/** The last step of MurmurHash3: every bit of the input changes about half of those of the output. */
function mix(input: number): number {
  let bits = Math.imul(input ^ (input >>> 16), 0x85_eb_ca_6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
