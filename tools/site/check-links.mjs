// Fails when a page of the built site loads a file, or links to a page or a heading, that does not exist. VitePress
// itself checks links to pages alone.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, 'dist');
const base = process.env.DOCS_BASE ?? '/';
const ORIGIN = 'http://site.test';

const pages = new Map(
  readdirSync(dist, { recursive: true })
    .filter((path) => path.endsWith('.html'))
    .map((path) => [path, readFileSync(join(dist, path), 'utf8')]),
);
const dead = [...pages].flatMap(([path, html]) => deadLinksOf(path, html));
for (const link of dead) console.error(link);
if (dead.length > 0) process.exitCode = 1;
else console.log(`${pages.size} pages, no dead link`);

function deadLinksOf(path, html) {
  if (path === '404.html') return [];
  const here = `${ORIGIN}${base}${path}`;
  return [...html.matchAll(/<[a-z][^>]*? (?:href|src)="([^"]*)"/g)].flatMap(([, link]) => {
    const url = new URL(link.replaceAll('&amp;', '&'), here);
    if (url.origin !== ORIGIN) return [];
    return isFound(url) ? [] : [`${path}: dead link ${link}`];
  });
}

function isFound({ pathname, hash }) {
  if (!pathname.startsWith(base)) return false;
  const path = decodeURI(pathname.slice(base.length));
  const file = [path, join(path, 'index.html'), `${path}.html`].find(
    (each) => existsSync(join(dist, each)) && statSync(join(dist, each)).isFile(),
  );
  if (file === undefined) return false;
  return hash === '' || pages.get(file)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`) !== false;
}
