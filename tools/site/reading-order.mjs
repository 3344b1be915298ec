import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES } from './doors.mjs';

/** The page that those of the API are below. */
const API = 'reference/http-api.md';

/**
 * Returns the sidebar of the site, read from the index in docs/README.md. A `##` heading is a group, a paragraph that
 * ends in a colon a subgroup, and the lists below have its pages. The pages beside a README.md that the index links to
 * follow it. A page without a place in the index is in the last group, so that none is lost.
 */
export function readingOrder(docs) {
  const pages = readdirSync(docs, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
    .toSorted((left, right) => (left < right ? -1 : 1));
  const groups = groupsOf(docs, readFileSync(join(docs, 'README.md'), 'utf8'), new Set(pages));
  const isListed = new Set(groups.flatMap(({ items }) => pathsOf(items)));
  const withFolders = (items) =>
    items.map((item) => {
      if (item.items) return { ...item, items: withFolders(item.items) };
      const folder = /^(.+)\/README\.md$/.exec(item.path)?.[1];
      const beside = pages.filter((path) => folder && dirname(path) === folder && !isListed.has(path));
      for (const path of beside) isListed.add(path);
      return beside.length === 0 ? item : { ...item, collapsed: true, items: beside.map((path) => entry(docs, path)) };
    });
  const complete = groups.map((group) => ({ ...group, items: withFolders(group.items) }));
  const others = pages.filter((path) => !isListed.has(path)).map((path) => entry(docs, path));
  return [...complete, ...(others.length === 0 ? [] : [{ text: 'More', items: others }])].map(toSidebar);
}

function groupsOf(docs, index, pages) {
  const groups = [];
  let items = [];
  for (const line of index.split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    const [, subheading] = /^([^-*\d[#].*):$/.exec(line) ?? [];
    if (heading) groups.push({ text: heading, items: (items = []) });
    else if (subheading) groups.at(-1)?.items.push({ text: subheading, items: (items = []) });
    else if (/^\s*(?:[-*]|\d+\.) /.test(line)) {
      const links = [...line.matchAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g)].map(([, text, path]) => ({
        text: plain(text),
        path: PAGES.get(path.replace('../', '')) ?? path,
      }));
      for (const { text, path } of links.filter((link) => pages.has(link.path))) {
        const parts = path === API ? [...pages].filter((page) => page.startsWith('reference/api/')) : [];
        // The title of the page: a link in a sentence says less.
        const item = { text: titleOf(docs, path) ?? text, path };
        items.push(parts.length === 0 ? item : { ...item, items: parts.map((part) => entry(docs, part)) });
      }
    }
  }
  return groups.filter((group) => pathsOf(group.items).length > 0);
}

/** Returns the entry of a page by its title. */
function entry(docs, path) {
  return { text: titleOf(docs, path) ?? path, path };
}

function titleOf(docs, path) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8')) ?? [];
  return title && plain(title).replace(/^(Exports of|Tutorial:|API:) (.)/, (_, _kind, first) => first.toUpperCase());
}

function pathsOf(items) {
  return items.flatMap(({ path, items: nested = [] }) => [...(path ? [path] : []), ...pathsOf(nested)]);
}

function toSidebar({ path, items, ...rest }) {
  return {
    ...rest,
    ...(path && { link: `/${path.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}` }),
    ...(items && { items: items.map(toSidebar) }),
  };
}

/** Returns the text of a heading or link without its marks. */
function plain(text) {
  return text.replaceAll(/[`*]/g, '');
}
