import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ERROR_CATALOG, ERROR_CODES, type ErrorCode } from '../conventions/error-catalog.ts';
import { type BaseUrl, problemName, problemType, sendProblem } from '../conventions/problem-details.ts';
import { isRecord } from '../conventions/query-parameters.ts';
import { PAGE_STYLE } from './assets.ts';
import { ERROR_DESCRIPTIONS } from './error-descriptions.ts';
import { htmlPage, inline, sendHtml } from './html.ts';
import type { Page } from './page.ts';

/** What the `type` of a problem leads to (RFC 9457 section 3.1.1), and a list of all. */
export function problemPages(baseUrl: BaseUrl): readonly Page[] {
  const describe = (code: ErrorCode) => {
    const { happened, remedy } = ERROR_DESCRIPTIONS[code];
    return { type: problemType(code, baseUrl), ...ERROR_CATALOG[code], code, description: `${happened} ${remedy}` };
  };
  return [
    {
      path: '/problems',
      answer: (request, reply) =>
        sendAccepted(request, reply, baseUrl, listHtml(), () => ({ data: ERROR_CODES.map(describe) })),
    },
    {
      path: '/problems/:code',
      answer: (request, reply) => {
        const name = isRecord(request.params) ? request.params['code'] : undefined;
        const code = ERROR_CODES.find((each) => problemName(each) === name);
        if (code) return sendAccepted(request, reply, baseUrl, problemHtml(code), () => describe(code));
        return sendProblem(reply, { code: 'not_found', detail: 'No problem has this name.' }, baseUrl);
      },
    },
  ];
}

const HTML = 'text/html';
const JSON_TYPE = 'application/json';

function sendAccepted(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: BaseUrl,
  html: string,
  json: () => unknown,
): FastifyReply {
  const type = new Negotiator(request).mediaType([HTML, JSON_TYPE]);
  if (type === HTML) return sendHtml(reply, html);
  if (type === JSON_TYPE) return reply.headers({ 'cache-control': 'no-cache' }).type(type).send(json());
  return sendProblem(reply, { code: 'not_acceptable', detail: `Accept ${HTML} or ${JSON_TYPE}.` }, baseUrl);
}

function problemHtml(code: ErrorCode): string {
  const { status, title } = ERROR_CATALOG[code];
  const { happened, remedy } = ERROR_DESCRIPTIONS[code];
  return htmlPage({
    title,
    toPrefix: '..',
    styles: [PAGE_STYLE],
    body: `<main>
<h1>${inline(title)}</h1>
<p>Status <code>${status}</code>, code <code>${code}</code></p>
<h2>What happened</h2>
<p>${inline(happened)}</p>
<h2>What to do</h2>
<p>${inline(remedy)}</p>
<p><a href="../problems">All problems</a> · <a href="../docs">API reference</a></p>
</main>`,
  });
}

function listHtml(): string {
  const items = ERROR_CODES.map((code) => {
    const { status, title } = ERROR_CATALOG[code];
    return `<li>${status} <a href="problems/${problemName(code)}"><code>${code}</code></a> ${inline(title)}</li>`;
  });
  return htmlPage({
    title: 'Problems',
    toPrefix: '.',
    styles: [PAGE_STYLE],
    body: `<main>
<h1>Problems</h1>
<ul>
${items.join('\n')}
</ul>
<p><a href="docs">API reference</a></p>
</main>`,
  });
}
