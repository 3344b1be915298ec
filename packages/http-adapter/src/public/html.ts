import type { FastifyReply, FastifyRequest } from 'fastify';
import { FOR_A_MINUTE, sendStatic, tagOf } from './send-static.ts';

interface Html {
  readonly title: string;
  /** The path to the prefix of the plugin, relative where the page has only one address. */
  readonly toPrefix: string;
  readonly styles: readonly { readonly path: string }[];
  readonly scripts?: readonly { readonly path: string }[];
  readonly body: string;
}

export function htmlPage({ title, toPrefix, styles, scripts = [], body }: Html): string {
  const files = [
    ...styles.map(({ path }) => `<link rel="stylesheet" href="${toPrefix}${path}">`),
    ...scripts.map(({ path }) => `<script src="${toPrefix}${path}" defer></script>`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${files.join('\n')}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Converts text to HTML, with code in backticks. */
export function inline(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Pages load only files of this server, and other sites cannot embed them. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = { 'content-security-policy': CONTENT_SECURITY_POLICY, 'referrer-policy': 'no-referrer' };

/** Sends a page. `cacheControl` sets how long it may be cached; one that is never kept has no entity tag. */
export function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  html: string,
  cacheControl = FOR_A_MINUTE,
): FastifyReply {
  const headers = { ...HEADERS, 'cache-control': cacheControl };
  const tag = cacheControl === 'no-store' ? undefined : tagOf(html);
  return sendStatic(request, reply, html, { type: 'text/html; charset=utf-8', headers, tag });
}
