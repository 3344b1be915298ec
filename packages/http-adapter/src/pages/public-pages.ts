import type { BaseUrl } from '../conventions/problem-details.ts';
import { ASSETS } from './assets.ts';
import { DOCS_PAGE } from './docs-page.ts';
import type { Page } from './page.ts';
import { problemPages } from './problem-pages.ts';

/** Everything that is served beside the operations of the API: without credentials, without a version. */
export function publicPages(baseUrl: BaseUrl): readonly Page[] {
  return [DOCS_PAGE, ...ASSETS, ...problemPages(baseUrl)];
}
