import { COSTLY_KEYWORDS } from './costly-keywords.ts';
import { type Random, randomOf, shuffled } from './random.ts';

/** The maximum size of `custom` in bytes as JSON. */
const CUSTOM_BYTES = 16 * 1024;

/** A definition of orders whose custom data are costly to validate. */
export interface HostileDefinition {
  /** The keywords with their numbers of parts. */
  readonly title: string;
  readonly file: object;
  /** The largest custom data to which no costly keyword is applied. */
  readonly largest: object;
  /** Generators of a costly member of custom data, as JSON text, by the keyword and the element that they repeat. */
  readonly custom: Readonly<Record<string, (random: Random) => string>>;
}

/** The default one, whose events a webhook endpoint can name. */
const LIFECYCLE = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
};

const PER_DEFINITION = 4;

/** The highest number of parts of a keyword. */
const PARTS = 60;

/** Definitions that have each keyword together. */
export const DEFINITIONS = Math.ceil(Object.keys(COSTLY_KEYWORDS).length / PER_DEFINITION);

/** Generates a definition with some keywords. They have half as many parts for each step of `smaller`. */
export function hostileDefinition(seed: number, at: number, smaller: number): HostileDefinition {
  const order = shuffled(Object.entries(COSTLY_KEYWORDS), randomOf(seed, 0));
  const random = randomOf(seed, at);
  const chosen = order
    .filter((_, place) => place % DEFINITIONS === at - 1)
    .map(([name, keyword]) => ({ name, keyword, parts: Math.ceil((PARTS - random.below(20)) / 2 ** smaller) }));
  const schemas = chosen.map(({ name, keyword: [schema], parts }) => [name, schema(parts)] as const);
  const properties = { plain: { type: 'string' }, ...Object.fromEntries(schemas) };
  return {
    title: chosen.map(({ name, parts }) => `${name} (${parts})`).join(', '),
    file: { lifecycle: LIFECYCLE, initial: 'pending', cancel: 'cancelled', custom: { type: 'object', properties } },
    largest: { plain: 'a'.repeat(CUSTOM_BYTES - 100) },
    custom: Object.fromEntries(
      chosen.flatMap(({ name, keyword: [schema, ...elements] }) =>
        elements.map((element) => [
          `${name}, ${element.slice(0, 20)}`,
          (draws: Random) => {
            const bytes = Math.max(draws.size(CUSTOM_BYTES), draws.size(CUSTOM_BYTES)) - name.length - 30;
            return `"${name}":${filled(element, bytes, schema(1).type)}`;
          },
        ]),
      ),
    ),
  };
}

/** Returns an array or object with as many elements as `bytes` bytes allow, in which `@` is the number of an element. */
function filled(element: string, bytes: number, type: 'array' | 'object'): string {
  const texts: string[] = [];
  let left = bytes - 2;
  for (let at = 0; left > 0; at += 1) {
    const next = `${type === 'object' ? `"k${at}":` : ''}${element.replaceAll('@', `${at}`)}`;
    left -= next.length + 1;
    if (left >= 0) texts.push(next);
  }
  return type === 'object' ? `{${texts.join(',')}}` : `[${texts.join(',')}]`;
}
