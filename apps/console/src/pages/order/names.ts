import type { Author } from '../../api/types.ts';
import { O } from './texts.ts';

const KINDS: Readonly<Record<string, string>> = {
  api_key: 'key',
  operator: 'operator',
  certificate: 'certificate',
  client: 'client',
  command: 'a command',
};

/** Returns who made a change, by name; by the credential for one without a name. */
export function actorOf({ actor, actor_name: name }: Pick<Author, 'actor' | 'actor_name'>): string {
  if (actor === null) return name ?? O.unknownActor;
  const [kind = '', id = ''] = actor.split(/:(.*)/s);
  if (name !== null) return kind === 'operator' ? `${name}, operator` : name;
  return [KINDS[kind] ?? kind, id.length > 16 ? `${id.slice(0, 8)}…` : id].filter((part) => part !== '').join(' ');
}

/** Returns how an endpoint is called: by its address without the scheme. */
export function hostOf(url: string | null): string {
  if (url === null) return O.deletedEndpoint;
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}
