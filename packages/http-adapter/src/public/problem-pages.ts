import type { OrderDefinition } from '@orders/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOST_PROBLEM, hostTitle, problemsOf, type ProblemSummary } from '../problems/catalog.ts';
import { type BaseUrl, problemName, problemType, sendProblem } from '../problems/problem.ts';
import { preferredType } from '../request/media-types.ts';
import { isRecord } from '../request/request-parameters.ts';
import { PAGE_STYLE } from './assets.ts';
import { htmlPage, inline, sendHtml } from './html.ts';
import type { PublicResource } from './public-resource.ts';
import { FOR_A_MINUTE, sendStatic, tagOf } from './send-static.ts';

/** The content of the page of a problem. */
interface Described extends Omit<ProblemSummary, 'statusOfChange'> {
  readonly code: string;
}

/** Serves the page at the `type` of each problem (RFC 9457 section 3.1.1), and a list of all. */
export function problemPages(baseUrl: BaseUrl, definition: OrderDefinition): readonly PublicResource[] {
  const all = Object.entries(problemsOf(definition)).map(
    ([code, { status, title, guide, happened, remedy }]): Described => ({
      code,
      status,
      title,
      guide,
      happened,
      remedy,
    }),
  );
  const describe = ({ code, status, title, happened, remedy }: Described) => ({
    type: problemType(code, baseUrl),
    code,
    status,
    title,
    description: `${happened} ${remedy}`,
  });
  const { happened, remedy } = HOST_PROBLEM;
  const families = [{ code: 'http_{status}', description: `${happened} ${remedy}` }];
  return [
    {
      path: '/problems',
      handle: (request, reply) =>
        sendAccepted(request, reply, baseUrl, listHtml(all), () => ({
          data: all.map(describe),
          families,
        })),
    },
    {
      path: '/problems/:code',
      handle: (request, reply) => {
        const problem = named(isRecord(request.params) ? request.params['code'] : undefined, all);
        if (problem) return sendAccepted(request, reply, baseUrl, problemHtml(problem), () => describe(problem));
        return sendProblem(
          reply,
          { code: 'not_found', detail: 'No problem has this name. See /problems for a list of all.' },
          baseUrl,
        );
      },
    },
  ];
}

function named(name: unknown, all: readonly Described[]): Described | undefined {
  // The code itself as well, for people who copy it from a response.
  const known = all.find(({ code }) => problemName(code) === name || code === name);
  if (known) return known;
  const status = Number(/^http-(4\d\d)$/.exec(String(name))?.[1]);
  if (Number.isNaN(status)) return undefined;
  return { code: `http_${status}`, status, title: hostTitle(status), ...HOST_PROBLEM };
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
  const type = preferredType(request.headers.accept, [HTML, JSON_TYPE]);
  if (type === HTML) return sendHtml(request, reply, html);
  if (type === JSON_TYPE) {
    const text = JSON.stringify(json());
    const headers = { 'cache-control': FOR_A_MINUTE };
    return sendStatic(request, reply, text, { type: `${JSON_TYPE}; charset=utf-8`, headers, tag: tagOf(text) });
  }
  return sendProblem(reply, { code: 'not_acceptable', detail: `Accept must allow ${HTML} or ${JSON_TYPE}.` }, baseUrl);
}

function problemHtml({ code, status, title, guide, happened, remedy }: Described): string {
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
<p>Guide: <code>docs/guides/${guide}.md</code></p>
<p><a href="../problems">All problems</a> · <a href="../docs">API reference</a></p>
</main>`,
  });
}

function listHtml(all: readonly Described[]): string {
  const items = all.map(
    ({ code, status, title }) =>
      `<li>${status} <a href="problems/${problemName(code)}"><code>${code}</code></a> ${inline(title)}</li>`,
  );
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
