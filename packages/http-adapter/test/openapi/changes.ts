import { at, behindReferences, isRecord } from '../fixtures/json.ts';

/** Removes a member. */
export const GONE = Symbol('gone');

/**
 * A change of the member at a place: names from the top of the document, separated by spaces. It begins with a path or with a
 * schema in short, and passes through references. The elements of a list have their `name`, or their index.
 */
export type Edit = readonly [place: string, to: unknown];

/** Returns a changed copy of a document. */
export function changed(document: unknown, ...edits: readonly Edit[]): unknown {
  const copy: unknown = structuredClone(document);
  for (const [place, to] of edits) {
    const steps = place.split(' ');
    const name = steps.pop() ?? '';
    const all = place.startsWith('/')
      ? ['paths', ...steps]
      : /^[A-Z]/.test(place)
        ? ['components', 'schemas', ...steps]
        : steps;
    const of = all.reduce<unknown>((value, step) => next(copy, value, step), copy);
    const was = at(of, name);
    if (!isRecord(of) || (to === GONE && was === undefined)) throw new Error(`nothing at ${place}`);
    if (to === GONE) Reflect.deleteProperty(of, name);
    else Reflect.set(of, name, isChange(to) ? to(was) : to);
  }
  return copy;
}

function next(document: unknown, value: unknown, step: string): unknown {
  if (Array.isArray(value) && !(step in value))
    return value.map((each) => resolved(document, each)).find((each) => at(each, 'name') === step);
  return at(value, step) ?? at(resolved(document, value), step);
}

function resolved(document: unknown, value: unknown): unknown {
  return at(document, ...behindReferences({ ...objectAt(document), value }, 'value')) ?? value;
}

function isChange(to: unknown): to is (was: unknown) => unknown {
  return typeof to === 'function';
}

function listOf(was: unknown): readonly unknown[] {
  return Array.isArray(was) ? was : [];
}

/** Returns a change that appends to a list, which may be absent. */
export const plus = (value: unknown) => (was: unknown) => [...listOf(was), value];

/** Returns a change that removes from a list. */
export const minus = (value: unknown) => (was: unknown) => {
  if (!listOf(was).includes(value)) throw new Error(`there is no ${String(value)}`);
  return listOf(was).filter((each) => each !== value);
};

/** Returns the object at a path; an empty one if it is absent. */
export function objectAt(document: unknown, ...path: readonly string[]): object {
  const found = at(document, ...path);
  return isRecord(found) ? found : {};
}
