import { useParams, useSearch } from '@tanstack/react-router';

/** Returns what `read` makes of the search of the URL. */
export function useSearchBy<T>(read: (search: Readonly<Record<string, unknown>>) => T): T {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  return read(search);
}

/** Returns the id in the path. */
export function useId(): string {
  const { id }: Readonly<Record<string, unknown>> = useParams({ strict: false });
  return typeof id === 'string' ? id : '';
}

/** Returns a field of a form as text without spaces around it; `undefined` for an empty one. */
export function fieldOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return (typeof value === 'string' && value.trim()) || undefined;
}

/** Closes the filter of a list, once it is applied: its button keeps the focus, so that keys go on from there. */
export function endFilter(details: HTMLDetailsElement | null): void {
  if (!details) return;
  details.open = false;
  details.querySelector('summary')?.focus();
}

/** Leaves the field that was sent, in which the keys of the console would be text. */
export function leaveField(): void {
  document.querySelector<HTMLElement>('#content')?.focus();
}
