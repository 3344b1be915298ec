import type { Resource } from './resource.ts';

/** The changes that servers acknowledged. In the end each must be stored exactly once, and no others. */
export interface Ledger {
  /** Orders as last acknowledged, by id. */
  readonly live: ReadonlyMap<string, Resource>;
  /** The accepted commands, each as `{id} {version} {type}`. */
  readonly events: ReadonlySet<string>;
  /** The aggregate of each key. */
  readonly keys: ReadonlyMap<string, string>;
  /** Responses that contradict each other. */
  readonly contradictions: readonly string[];
  /** Records an acknowledged change. */
  changed(key: string, resource: Resource, type: string): void;
  deleted(key: string, last: Resource, type: string): void;
  contradicts(what: string): void;
}

export function openLedger(): Ledger {
  const live = new Map<string, Resource>();
  const events = new Set<string>();
  const keys = new Map<string, string>();
  const contradictions: string[] = [];
  const accepted = ({ id, version }: Resource, type: string) => {
    const event = `${id} ${version} ${type}`;
    if (events.has(event)) contradictions.push(`two commands were acknowledged with the same version: ${event}`);
    events.add(event);
  };
  return {
    live,
    events,
    keys,
    contradictions,
    changed: (key, resource, type) => {
      keys.set(key, resource.id);
      accepted(resource, type);
      // Clients that change the same order may receive the responses in another order than the changes.
      const known = live.get(resource.id) ?? resource;
      const [earlier, later] = known.version <= resource.version ? [known, resource] : [resource, known];
      if (earlier.updated_at > later.updated_at) {
        contradictions.push(`updated_at of ${later.id} runs from ${earlier.updated_at} back to ${later.updated_at}`);
      }
      live.set(later.id, later);
    },
    deleted: (key, last, type) => {
      keys.set(key, last.id);
      accepted({ ...last, version: last.version + 1 }, type);
      live.delete(last.id);
    },
    contradicts: (what) => void contradictions.push(what),
  };
}
