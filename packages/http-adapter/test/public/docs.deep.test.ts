import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { START_JS } from '../../src/public/docs-start.ts';
import { componentName } from '../../src/api/schemas.ts';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { anApi } from '../fixtures/an-api.ts';
import { at, behindReferences, isRecord, listAt, membersOf, responsePlaces, textAt } from '../fixtures/json.ts';
import { closedSchemas } from '../openapi/schemas.ts';

/** Fetches the page, and returns the files to which it refers. */
async function load() {
  const { app } = await anApi();
  const { payload } = await app.inject('/docs');
  const files = [...payload.matchAll(/(?:href|src)="\.([^"]+)"/g)].map(([, url = '']) => url);
  return { app, files };
}

describe('the reference', () => {
  it('loads its files, which are cached as immutable', async () => {
    const { app, files } = await load();
    expect(files).toHaveLength(5);
    for (const url of files) {
      const file = await app.inject(url);
      expect(file.statusCode).toBe(200);
      expect(file.headers['content-type']).toMatch(url.endsWith('.js') ? /^text\/javascript;/ : /^text\/css;/);
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(file.headers['content-length']).toBe(`${file.rawPayload.length}`);
      expect(file.rawPayload.length).toBeGreaterThan(100);
      expect((await app.inject({ method: 'POST', url })).statusCode).toBe(405);
    }
  });

  it('has file names with a hash of their content', async () => {
    const { files } = await load();
    expect(files.map((url) => url.replace(/[0-9a-f]{12}/, 'DIGEST').replace(/\d+\.\d+\.\d+/, 'VERSION'))).toEqual([
      '/docs/VERSION/swagger-ui.css',
      '/docs/DIGEST/docs-theme.css',
      '/docs/DIGEST/docs-theme.js',
      '/docs/VERSION/swagger-ui-bundle.js',
      '/docs/DIGEST/docs-start.js',
    ]);
  });

  it('serves no other file', async () => {
    const { app, files } = await load();
    const [folder] = /^.*\//.exec(files[0] ?? '') ?? [];
    const others = ['', 'index.html', 'package.json', '../../package.json', '..%2fpackage.json', '%2e%2e/package.json'];
    for (const other of [...others, '..%5cpackage.json', 'swagger-ui.css/', 'swagger-ui-css', 'swagger-ui.css%00']) {
      const { statusCode, payload } = await app.inject(`${folder}${other}`);
      expect([other, statusCode]).toEqual([other, 404]);
      expect(payload).toContain('"code":"not_found"');
    }
  });
});

/** A request as Swagger UI hands it to the generators of snippets. */
type ToSnippet = (request: { readonly toJS: () => unknown }) => string;

interface Plugin {
  readonly fn?: { readonly requestSnippetGenerator_fetch: ToSnippet };
  readonly statePlugins: {
    readonly spec: {
      readonly wrapActions: {
        readonly updateJsonSpec: (update: (document: unknown) => unknown) => (document: unknown) => unknown;
      };
    };
  };
}

/** Runs the script of the page on a document, and returns the offered keys and bodies. */
function shown(document: unknown) {
  const plugins: Plugin[] = [];
  const SwaggerUIBundle = Object.assign(
    (options: { readonly plugins: readonly (() => Plugin)[] }) =>
      plugins.push(...options.plugins.map((make) => make())),
    { presets: { apis: [] } },
  );
  runInNewContext(START_JS, {
    SwaggerUIBundle,
    crypto,
    structuredClone,
    URL,
    location: 'http://other.name/shop/docs#x',
    // What the page looks like is checked in a browser (tools/site).
    MutationObserver: class {
      readonly observe = () => undefined;
    },
    document: { querySelector: () => null },
  });
  const page = plugins[0]?.statePlugins.spec.wrapActions.updateJsonSpec((changed) => changed)(document);
  const keyOf = (path: string) => {
    const parameters = listAt(page, 'paths', path, 'post', 'parameters');
    return parameters.filter((each) => at(each, 'name') === 'Idempotency-Key').map((each) => at(each, 'example'));
  };
  const bodiesOf = (path: string) => {
    const content = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'examples'];
    return membersOf(at(page, ...content)).map((name) => at(page, ...content, name, 'value'));
  };
  const snippetOf = (request: unknown) => {
    const found = plugins.find(({ fn }) => fn)?.fn;
    return found?.requestSnippetGenerator_fetch({ toJS: () => request }) ?? '';
  };
  return { page, keyOf, bodiesOf, snippetOf };
}

describe('the requests that the reference offers', () => {
  it('have a unique reference, email and idempotency key, and equal the examples otherwise', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument()));
    const before = structuredClone(document);
    const [first, second] = [shown(document), shown(document)];
    expect(document).toEqual(before);
    for (const [path, unique] of [
      ['/orders', 'reference'],
      ['/customers', 'email'],
    ] as const) {
      const example = ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'examples'];
      const [name = ''] = membersOf(at(document, ...example));
      const documented = at(document, ...behindReferences(document, ...example, name), 'value');
      const [body, other] = [first.bodiesOf(path)[0], second.bodiesOf(path)[0]];
      expect(body).toEqual({ ...(isRecord(documented) && documented), [unique]: at(body, unique) });
      expect(new Set([documented, body, other].map((each) => at(each, unique))).size).toBe(3);
      expect(first.keyOf(path)).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
      expect(first.keyOf(path)).not.toEqual(second.keyOf(path));
    }
    expect(first.keyOf('/orders')).not.toEqual(first.keyOf('/customers'));
  });
});

describe('the responses of the reference', () => {
  it('have the headers of every response, and an example of each problem', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument({ definition: BAKERY })));
    const schemas = closedSchemas(document);
    const { page } = shown(document);
    const common = membersOf(at(document, 'x-response-headers'));
    expect(common).toContain('X-Request-Id');
    const places = responsePlaces(document);
    expect(places.length).toBeGreaterThan(50);
    for (const place of places) {
      const [before, after] = [at(document, ...place), at(page, ...place)];
      expect(membersOf(at(after, 'headers'))).toEqual([...common, ...membersOf(at(before, 'headers'))]);
      const media = ['content', 'application/problem+json'];
      const schema = at(before, ...media, 'schema');
      const problems =
        schema === undefined ? [] : Array.isArray(at(schema, 'oneOf')) ? listAt(schema, 'oneOf') : [schema];
      const names = problems.map((each) => textAt(each, '$ref').replace(/.*\/(.*?)(?:OfChange)?Problem$/, '$1'));
      const examples = at(after, ...media, 'examples');
      expect(membersOf(examples).map(componentName)).toEqual(names);
      for (const code of membersOf(examples)) {
        const value = at(examples, code, 'value');
        expect({ value, faults: schemas([...place, ...media, 'schema'], value) }).toEqual({ value, faults: [] });
        expect(at(value, 'code')).toBe(code);
      }
    }
  });
});

describe('the servers of the reference', () => {
  it('are at the address of the page, because it may load nothing from another', () => {
    const { page } = shown(currentDocument({ baseUrl: () => 'https://example.com/shop' }));
    expect(listAt(page, 'servers').map((server) => textAt(server, 'url'))).toEqual([
      'http://other.name/shop/v1',
      'http://other.name/shop',
    ]);
  });
});

describe('the operations of the reference', () => {
  it.each([
    { url: 'http://orders.test/v1/orders', method: 'DELETE', headers: { 'X-API-Key': 'k"1' } },
    { url: 'http://orders.test/v1/orders', method: 'POST', headers: { a: 'b' }, body: '{"name": "Tee\\n\\"x\\""}' },
    { url: 'http://orders.test/v1/orders', method: 'POST', body: 'no JSON `${1}`' },
  ])('have a snippet for fetch that sends the request: $method $body', async ({ url, ...init }) => {
    const sent: unknown[] = [];
    const fetch = async (target: string, options: { readonly body?: string }) => {
      sent.push([target, options]);
      return await Promise.resolve({ status: 200, text: () => '' });
    };
    const snippet = shown(currentDocument()).snippetOf({ url, ...init });
    await runInNewContext(`(async () => { ${snippet} })()`, { fetch, console: { log: () => undefined }, JSON });
    const { body, ...others } = { body: undefined, ...init };
    const compact = body?.startsWith('{') ? JSON.stringify(JSON.parse(body)) : body;
    expect(sent).toEqual([[url, { ...others, ...(compact !== undefined && { body: compact }) }]]);
  });
});
