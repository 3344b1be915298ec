/** Keeps a text for this tab, which may be personal data, and returns what stands for it in a URL. */
export function keepText(text: string): string {
  const key = crypto.randomUUID().slice(0, 8);
  sessionStorage.setItem(`text ${key}`, text);
  return key;
}

/** Returns a text that this tab has kept; empty for one of another tab. */
export function keptText(key: string | undefined): string {
  return (key !== undefined && sessionStorage.getItem(`text ${key}`)) || '';
}
