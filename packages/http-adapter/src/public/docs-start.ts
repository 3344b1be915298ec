/**
 * Starts Swagger UI. A separate file, because the Content-Security-Policy forbids inline scripts.
 *
 * A reference and an email must be unique, and an idempotency key belongs to one request. So the page replaces the examples
 * of the document with generated values, and generates new ones after a successful request. After a failure they stay, so
 * that the same request can be retried.
 */
export const START_JS = `'use strict';

// Not randomUUID, which is available only with HTTPS or on localhost.
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const KEY = 'Idempotency-Key';
const FRESH = {
  reference: () => 'PO-' + random(),
  email: () => 'buyer-' + random() + '@example.com',
};

// The generated values, and the names of their generators.
const made = new Map();

const make = (name) => {
  const value = FRESH[name]();
  made.set(value, name);
  return value;
};

const behindReference = (document, value) =>
  value.$ref ? value.$ref.slice(2).split('/').reduce((found, step) => found[step], document) : value;

// An example of a problem: the fixed values of its schema, and the examples of the others.
const problemExample = (document, { description, allOf }) => {
  const members = Object.assign({}, ...allOf.map((part) => behindReference(document, part).properties));
  const valueOf = ({ const: fixed, examples = [] }) => fixed ?? examples[0];
  const code = valueOf(members.code);
  const value = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, valueOf(member)]));
  const type = 'https://example.com/problems/' + code.replaceAll('_', '-');
  return [code, { value: { ...value, type, title: description } }];
};

// The document has the headers of every response once, and examples of problems in their schemas.
const completeResponse = (document, response) => {
  if (!response.headers) return;
  response.headers = { ...document['x-response-headers'], ...response.headers };
  const problem = response.content?.['application/problem+json'];
  if (!problem) return;
  const schemas = (problem.schema.oneOf ?? [problem.schema]).map((schema) => behindReference(document, schema));
  problem.examples = Object.fromEntries(schemas.map((schema) => problemExample(document, schema)));
};

// The address from which the page itself was loaded, which may have another name than the configured one.
const ownServers = (servers) => {
  const own = new URL('.', location).href.slice(0, -1);
  const { url: base } = servers.at(-1);
  return servers.map((server) => ({ ...server, url: own + server.url.slice(base.length) }));
};

const completed = (document) => {
  const copy = structuredClone(document);
  copy.servers = copy.servers && ownServers(copy.servers);
  // The operations are what readers come for.
  const [about, ...conventions] = copy.info.description.split('\\n\\n');
  const folded = '<details><summary>Conventions of all operations</summary>\\n\\n' + conventions.join('\\n\\n') + '\\n\\n</details>';
  copy.info.description = about + '\\n\\n' + folded;
  for (const response of Object.values(copy.components?.responses ?? {})) completeResponse(copy, response);
  // Each operation gets its own key and examples instead of the shared components.
  const withFreshKey = (parameter) => {
    const found = behindReference(copy, parameter);
    return found.name === KEY ? { ...found, example: random() } : parameter;
  };
  const withFreshValues = (example) => {
    const { value, ...rest } = structuredClone(behindReference(copy, example));
    for (const name of Object.keys(FRESH)) if (typeof value[name] === 'string') value[name] = make(name);
    return { ...rest, value };
  };
  for (const path of Object.values(copy.paths ?? {})) {
    const { parameters: shared, ...operations } = path;
    for (const operation of Object.values(operations)) {
      for (const response of Object.values(operation.responses ?? {})) completeResponse(copy, response);
      operation.parameters = operation.parameters?.map(withFreshKey);
      for (const content of Object.values(operation.requestBody?.content ?? {})) {
        const examples = Object.entries(content.examples ?? {});
        content.examples = Object.fromEntries(examples.map(([name, example]) => [name, withFreshValues(example)]));
      }
    }
  }
  return copy;
};

// Replaces the values that a successful request has used.
const renew = ({ specActions, specSelectors, oas3Actions, oas3Selectors }, path, method) => {
  const parameters = specSelectors.specJsonWithResolvedSubtrees().getIn(['paths', path, method, 'parameters']);
  const key = parameters?.find((parameter) => parameter.get('name') === KEY);
  const isSent = specSelectors.requestFor(path, method)?.get('headers')?.get(KEY);
  if (key && isSent) specActions.changeParamByIdentity([path, method], key, random(), false);
  const body = oas3Selectors.requestBodyValue(path, method);
  if (typeof body !== 'string') return;
  let value = body;
  for (const [used, name] of [...made]) {
    if (!body.includes(used)) continue;
    made.delete(used);
    value = value.replaceAll(used, make(name));
  }
  if (value !== body) oas3Actions.setRequestBodyValue({ value, pathMethod: [path, method] });
};

const freshValues = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update(completed(document)),
        setResponse: (set, system) => (path, method, response) => {
          const result = set(path, method, response);
          if (response.status >= 200 && response.status < 300) renew(system, path, method);
          return result;
        },
      },
    },
  },
});

// Keeps the credentials while the tab is open, including reloads, but not for other tabs.
const CREDENTIALS = 'orders-docs-credentials';

const credentialsOfTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        // Called by Swagger UI after every change of the credentials.
        persistAuthorizationIfNeeded: (persist, { authSelectors }) => () => {
          try {
            sessionStorage.setItem(CREDENTIALS, JSON.stringify(authSelectors.authorized().toJS()));
          } catch {
            // The browser has disabled storage.
          }
          return persist();
        },
      },
    },
  },
});

const restoreCredentials = ({ authActions }) => {
  try {
    const authorized = JSON.parse(sessionStorage.getItem(CREDENTIALS));
    if (authorized) authActions.restoreAuthorization({ authorized });
  } catch {
    // The browser has disabled storage, or the stored value is invalid.
  }
};

// The path of an operation is a link inside of the button that opens it, which no keyboard can reach.
const plainPaths = () => ({
  wrapComponents: {
    DeepLink: (_link, { React }) => ({ text }) => React.createElement('span', null, text),
  },
});

// Headings skip levels below that of the page, the list of servers has an empty label, and what is above the operations is in
// no landmark.
const LEVELS = { H3: '2', H4: '3', H5: '4' };
const outline = () => {
  for (const heading of document.querySelectorAll('#docs :is(h3, h4, h5):not([aria-level])')) {
    heading.setAttribute('aria-level', LEVELS[heading.tagName]);
  }
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  for (const [part, label] of [['information', 'About'], ['scheme', 'Server and credentials']]) {
    const container = document.querySelector('#docs .' + part + '-container');
    container?.setAttribute('role', 'region');
    container?.setAttribute('aria-label', label);
  }
};
new MutationObserver(outline).observe(document.querySelector('#docs'), { childList: true, subtree: true });

const indented = (value) => JSON.stringify(value, null, 2).replaceAll('\\n', '\\n  ');

const bodyText = (body) => {
  try {
    return 'JSON.stringify(' + indented(JSON.parse(body)) + ')';
  } catch {
    return JSON.stringify(body);
  }
};

const fetchSnippet = (request) => {
  const { url, method, headers = {}, body } = request.toJS();
  const lines = ['  method: ' + JSON.stringify(method) + ','];
  if (Object.keys(headers).length > 0) lines.push('  headers: ' + indented(headers) + ',');
  if (body !== undefined) lines.push('  body: ' + bodyText(body) + ',');
  const call = 'await fetch(' + JSON.stringify(url) + ', {\\n' + lines.join('\\n') + '\\n});';
  return 'const response = ' + call + '\\nconsole.log(response.status, await response.text());';
};

const ui = SwaggerUIBundle({
  // Relative to the page, like its files.
  url: 'openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [freshValues, credentialsOfTab, plainPaths, () => ({ fn: { requestSnippetGenerator_fetch: fetchSnippet } })],
  onComplete: () => restoreCredentials(ui),
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      fetch: { title: 'JavaScript (fetch)', syntax: 'javascript' },
    },
    languages: ['curl_bash', 'fetch'],
  },
  defaultModelsExpandDepth: 0,
  // The public validator would receive the document.
  validatorUrl: null,
});
`;
