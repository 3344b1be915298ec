const EXAMPLES = '#/components/examples/';

/** Parts of a document by their name, such as `paths`. */
type Sections = Readonly<Record<string, unknown>>;

/** Components of a document by their kind. */
type ComponentsByKind = Readonly<Record<string, unknown>>;

/**
 * Returns sections and components with each example that has only one reference in the place of that reference. The only
 * example of a problem loses its name. This shortens the document, and does not change its meaning.
 */
export function inlineExamples(sections: Sections, { examples, ...others }: ComponentsByKind) {
  const all = new Map<string, unknown>(Object.entries(examples ?? {}));
  const counts = new Map<string, number>();
  countReferences([sections, others], counts);
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((element) => inline(element));
    if (typeof value !== 'object' || value === null) return value;
    const name = exampleOf(value);
    if (name !== undefined) return counts.get(name) === 1 ? all.get(name) : value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inMember(key, member)]));
  };
  const inMember = (key: string, member: unknown): unknown => {
    const inlined = inline(member);
    return key === 'application/problem+json' ? withoutName(inlined) : inlined;
  };
  const inlineAll = (members: Sections) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, inline(member)]));
  const shared = [...all].filter(([name]) => counts.get(name) !== 1);
  return {
    sections: inlineAll(sections),
    components: {
      ...inlineAll(others),
      examples: Object.fromEntries(shared),
    },
  };
}

/** Returns the content of a problem, with its only example as `example`. References stay in `examples`. */
function withoutName(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('examples' in content)) return content;
  const { examples, ...others } = content;
  const all = new Map<string, unknown>(Object.entries(examples ?? {}));
  const [only] = all.values();
  const isInline = typeof only === 'object' && only !== null && 'value' in only && all.size === 1;
  return isInline ? { ...others, example: only.value } : content;
}

/** Adds the number of references to each example within `value` to `counts`. */
function countReferences(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const name = exampleOf(value);
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const member of Object.values(value)) countReferences(member, counts);
}

/** Returns the name of the example that a reference refers to; `undefined` for any other value. */
function exampleOf(value: object): string | undefined {
  const reference: unknown = '$ref' in value ? value.$ref : undefined;
  return typeof reference === 'string' && reference.startsWith(EXAMPLES) ? reference.slice(EXAMPLES.length) : undefined;
}
