// Fails when a Markdown file of the repository, or the first page of the site, links to a file or a heading that does not exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './doors.mjs';
import { headingId } from './heading-id.mjs';

const docs = join(root, 'docs');
const exclude = ['**/node_modules', '**/dist', 'packed'];
const pages = globSync(
  '{*.md,{docs,packages,apps,examples,.changeset,.github}/**/*.md,tools/site/.vitepress/theme/Home.vue}',
  {
    cwd: root,
    exclude,
  },
);
const dead = pages.flatMap((page) => deadLinksOf(join(root, page)));
for (const link of dead) console.error(link);
if (dead.length > 0) process.exitCode = 1;
else console.log(`${pages.length} pages, no dead link`);

function deadLinksOf(page) {
  const links = page.endsWith('.vue') ? /'(\/[a-z][\w/#-]*)'/g : /\]\((?![a-z]+:)([^)\s]+)\)/g;
  return [...textOf(page).matchAll(links)]
    .map(([, link]) => link)
    .filter((link) => !isFound(page, link))
    .map((link) => `${relative(root, page)}: dead link ${link}`);
}

function isFound(page, link) {
  const [path, heading] = link.split('#');
  const file = path.startsWith('/') ? `${docs}${path}.md` : resolve(dirname(page), path || page);
  // Only a build of the site has them.
  if (/reference\/(?:api|exports|schema)\b/.test(file) && !existsSync(join(docs, 'reference/exports'))) return true;
  return existsSync(file) && (!heading || !file.endsWith('.md') || headingsOf(file).includes(heading));
}

function headingsOf(file) {
  return [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    headingId(text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  );
}

/** Returns the text of a file without its blocks of code. */
function textOf(file) {
  return readFileSync(file, 'utf8').replaceAll(/^ *(`{3,})[\s\S]*?^ *\1$/gm, '');
}
