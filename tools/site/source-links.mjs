import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PAGES } from './doors.mjs';

/**
 * A plugin of markdown-it for links that are right in the repository. A link to a README.md leads to the index of its
 * folder, and a link to a file that has a generated page to that. A link to another file that is no page leads to
 * `sourceUrl`, such as `https://forge.example/owner/orders/blob/main`; without one, its text remains, with the path as its
 * tooltip.
 * `onDeadLink` is called for each link to a file that does not exist.
 */
export function sourceLinks(md, { docs, sourceUrl, onDeadLink }) {
  const repository = join(docs, '..');
  md.core.ruler.push('source-links', ({ tokens, env }) => {
    for (const children of tokens.map((token) => token.children ?? [])) {
      for (const index of children.keys()) if (children[index].type === 'link_open') redirect(children, index, env);
    }
  });

  function redirect(tokens, index, env) {
    const href = tokens[index].attrGet('href');
    if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return;
    const [, path, rest] = /^([^?#]*)(.*)$/.exec(href);
    const page = env.realPath ?? env.path;
    const target = resolve(dirname(page), decodeURI(path));
    if (!existsSync(target)) onDeadLink(`${relative(repository, page)}: dead link ${href}`);
    const inDocs = relative(docs, target);
    const generated = PAGES.get(relative(repository, target));
    if (generated) {
      tokens[index].attrSet('href', `/${generated}${rest}`);
    } else if (!inDocs.startsWith('..') && (inDocs.endsWith('.md') || existsSync(join(target, 'README.md')))) {
      tokens[index].attrSet('href', `${pageOf(path)}${rest}`);
    } else if (sourceUrl) {
      tokens[index].attrSet('href', `${sourceUrl}/${relative(repository, target)}${rest}`);
    } else {
      const end = tokens.findIndex(({ type }, at) => at > index && type === 'link_close');
      for (const at of [index, end]) tokens[at].tag = 'span';
      tokens[index].attrs = [['title', relative(repository, target)]];
      // Other plugins look for links by these types.
      tokens[index].type = 'span_open';
      tokens[end].type = 'span_close';
    }
  }

  function pageOf(path) {
    if (!path.endsWith('.md')) return `${path.replace(/\/$/, '')}/index.md`;
    return path.replace(/(^|\/)README\.md$/, '$1index.md');
  }
}
