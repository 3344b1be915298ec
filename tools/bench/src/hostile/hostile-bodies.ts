import { HOSTILE_VALUES, repeated, utf8 } from './hostile-json.ts';
import type { Random } from './random.ts';

/** A way to generate bodies. */
export interface BodyFamily {
  readonly name: string;
  /** Generates a body as bytes in characters, from the largest valid one. */
  readonly generate: (random: Random, valid: Valid) => string;
}

type Valid = Readonly<Record<string, unknown>>;

/** Returns the families of bodies up to a limit in bytes: each hostile value in each place, and text that is no JSON. */
export function bodyFamilies(valid: Valid, limit: number): readonly BodyFamily[] {
  const places = ['the body', 'an unknown member', ...Object.keys(valid), ...nestedIn(valid)];
  return [
    ...Object.entries(malformed(limit)).map(([name, generate]) => ({ name, generate })),
    ...places.flatMap((place) => Object.keys(HOSTILE_VALUES).map((value) => valueIn(place, value, limit))),
  ];
}

const MARK = 'hostile value';

/** Returns the family with a hostile value in a place of an otherwise valid body. */
export function valueIn(place: string, value: string, limit: number): BodyFamily {
  return {
    name: `${value} as ${place}`,
    generate: (random, valid) => {
      const template = place === 'the body' ? `"${MARK}"` : utf8(JSON.stringify(withMark(valid, place)));
      const bytes = Math.max(1, random.size(limit) - template.length);
      const text = HOSTILE_VALUES[value]?.(random, bytes, place === 'the body' ? valid : (valid[place] ?? {})) ?? '';
      return template.replace(`"${MARK}"`, () => text);
    },
  };
}

/** Returns the places inside a member, as its name and that of the inner member. */
function nestedIn(valid: Valid): readonly string[] {
  const inside = { items: ['items.sku', 'items.unit_price', 'items.unknown'], metadata: ['metadata.key'] };
  return Object.entries(inside).flatMap(([member, places]) => (member in valid ? places : []));
}

function withMark(valid: Valid, place: string): Valid {
  if (place === 'an unknown member') return { ...valid, unknown: MARK };
  const [member = '', inner] = place.split('.');
  if (inner === undefined) return { ...valid, [member]: MARK };
  const value = valid[member];
  return { ...valid, [member]: Array.isArray(value) ? [{ ...value[0], [inner]: MARK }] : { [inner]: MARK } };
}

const malformed = (limit: number): Readonly<Record<string, BodyFamily['generate']>> => ({
  'white space only': (random) => repeated(random.pick([' ', '\n', '\t', '\r\n']), random.size(limit)),
  'padding around the body': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    const space = repeated(random.pick([' ', '\n', '\t']), Math.max(1, random.size(limit) - text.length));
    return random.pick([`${space}${text}`, `${text}${space}`, `{${space}${text.slice(1)}`]);
  },
  'a truncated body': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    return text.slice(0, random.below(text.length));
  },
  'a broken byte': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    const at = random.below(text.length);
    return `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`;
  },
  'invalid UTF-8': (random) =>
    `{"note":"${repeated(random.pick(['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf0\x9f']), random.size(limit) - 11)}"}`,
  'text after the body': (random, valid) => {
    const text = utf8(JSON.stringify(valid));
    return `${text}${repeated(random.pick(['{}', ']', 'x', ',']), Math.max(1, random.size(limit) - text.length))}`;
  },
  'no JSON': (random) =>
    repeated(random.pick(['x', '"', '\\', '//', '{', '}', ',', 'nul', '\xef\xbb\xbf', '\0']), random.size(limit)),
  'a byte too many': (random) => repeated(random.pick([' ', '[', '0']), limit + 1),
});
