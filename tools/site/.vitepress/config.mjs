import { join } from 'node:path';
import { DOORS, root } from '../doors.mjs';
import { sourceLinks } from '../source-links.mjs';
import { readingOrder } from '../reading-order.mjs';
import { headingId } from '../heading-id.mjs';

const docs = join(import.meta.dirname, '../../../docs');
const sidebar = readingOrder(docs);
const deadLinks = new Set();

let [done, printedAt] = [0, 0];
/** Counts what a build has done, and prints it every second. */
const counts = (part) => () => {
  done += 1;
  if (Date.now() - printedAt < 1000) return;
  printedAt = Date.now();
  console.log(`  ${part}, step ${done}`);
};

/** The site, made of the Markdown in docs as it is: what a page needs to be a page of the site is all here. */
export default {
  title: 'Orders',
  description: 'An orders HTTP API, and the domain library inside it, in TypeScript',
  lang: 'en',
  srcDir: docs,
  outDir: join(import.meta.dirname, '../dist'),
  cacheDir: join(import.meta.dirname, '../node_modules/.vitepress'),
  // Where the site is served, such as /orders/; with a slash at both ends.
  base: process.env.DOCS_BASE ?? '/',
  // On a forge README.md is the index of its folder.
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  transformPageData: ({ relativePath }) =>
    relativePath === 'index.md' ? { frontmatter: { layout: 'Home', sidebar: false } } : undefined,
  metaChunk: true,
  // Without an icon browsers request one that does not exist.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingId },
    config: (md) => {
      md.core.ruler.push('labels', labelCells);
      // A path of a file breaks behind a slash.
      md.renderer.rules.text = (tokens, at) =>
        md.utils.escapeHtml(tokens[at].content).replaceAll(/(?<=\w)\/(?=\w)/g, '$&<wbr>');
      // On a forge it is a diagram; the list below it says the same.
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, at, ...rest) =>
        tokens[at].info === 'mermaid' ? '' : fence(tokens, at, ...rest);
      // A long name breaks between its words; an option and a number do not.
      md.renderer.rules.code_inline = (tokens, at) =>
        `<code v-pre>${md.utils
          .escapeHtml(tokens[at].content)
          .replaceAll(/(?<=\S)(?:[_/=](?=[\w{])|\.(?=[a-z])|,(?=\S))/gi, '$&<wbr>')
          .replaceAll(/--\w[\w-]*/g, '<span style="white-space: nowrap">$&</span>')}</code>`;
      md.use(sourceLinks, { docs, sourceUrl: process.env.DOCS_SOURCE_URL, onDeadLink: (link) => deadLinks.add(link) });
    },
  },
  transformHtml: counts('page'),
  buildEnd: ({ pages, outDir }) => {
    if (deadLinks.size > 0) throw new Error([...deadLinks].join('\n'));
    console.log(`The site of ${pages.length} pages is in ${outDir}`);
  },
  vite: {
    plugins: [
      resolveVueFromHere(),
      { name: 'progress', apply: 'build', transform: counts('module'), renderChunk: counts('chunk') },
    ],
    // The play page needs one store of the testing kit. The packages say that their modules do nothing when they are imported.
    build: {
      // More than the index of the search has.
      chunkSizeWarningLimit: 2000,
      rollupOptions: { treeshake: { moduleSideEffects: (id) => !id.startsWith(join(root, 'packages')) } },
    },
    // esbuild does not know the target of our compiler.
    esbuild: { tsconfigRaw: '{}' },
    // The packages as their sources are: a page runs the domain.
    resolve: {
      alias: Object.values(DOORS).map(([door, source]) => ({
        find: new RegExp(`^${door}$`),
        replacement: join(root, source),
      })),
    },
  },
  themeConfig: {
    sidebar,
    nav: sidebar.map(({ text, items }) => ({ text, link: firstLink(items), activeMatch: matchOf(items) })),
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Readers look for what to do first, then for names.
            boostDocument: (id) => {
              if (/reference\/(not-supported|configuration)/.test(id)) return 7;
              if (/guides\/|tutorial|http-api/.test(id)) return 4;
              return /exports\/|decisions\/|changelog/.test(id) ? 0.3 : 1;
            },
          },
        },
      },
    },
    notFound: {
      title: 'No page here',
      quote: 'The search finds every page.',
      linkText: 'To the first page',
      linkLabel: 'To the first page',
    },
    outline: [2, 3],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
};

/** Names the column of each cell, because a phone shows the rows of a table as cards. */
function labelCells({ tokens }) {
  let [labels, column] = [[], 0];
  for (const [index, { type, tag }] of tokens.entries()) {
    if (type === 'thead_open') labels = [];
    if (type === 'tr_open') column = 0;
    if (type === 'th_open') {
      const label = tokens[index + 1].content.replaceAll(/[`*]/g, '');
      labels.push(label);
      // A head without a text heads nothing.
      if (label === '') tokens[index].tag = tokens[index + 2].tag = 'td';
    }
    if (type === 'td_open' && tag === 'td' && labels[column]) tokens[index].attrSet('data-label', labels[column]);
    if (type === 'td_open') column += 1;
  }
}

/** Returns every link of sidebar items, also of nested ones. */
function linksOf(items) {
  return items.flatMap(({ link, items: nested = [] }) => [...(link ? [link] : []), ...linksOf(nested)]);
}

function firstLink(items) {
  return linksOf(items)[0];
}

/** Returns the pattern of the pages of a group, by which its entry of the navigation is highlighted. */
function matchOf(items) {
  const paths = linksOf(items).map((link) => link.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return `(?:${paths.join('|')})(?:\\.html)?$`;
}

/** Returns a plugin of Vite that finds Vue for the pages, which are outside of this package. */
function resolveVueFromHere() {
  return {
    name: 'resolve-vue-from-here',
    enforce: 'pre',
    resolveId(source, importer, options) {
      if (!/^vue(?:$|\/)/.test(source) || !importer?.startsWith(docs)) return undefined;
      return this.resolve(source, join(import.meta.dirname, 'config.mjs'), { ...options, skipSelf: true });
    },
  };
}
