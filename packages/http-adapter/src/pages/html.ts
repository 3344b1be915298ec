import type { FastifyReply } from 'fastify';

interface Html {
  readonly title: string;
  /** The way from the page to the plugin's prefix. Relative, so that a proxy may serve all of it below any path. */
  readonly toPrefix: '.' | '..';
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

/** Text as HTML, with \`code\` in backticks. */
export function inline(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Only what this server serves itself may be loaded, and no other site may frame a page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  // A page names files by their version: one that was kept for long would ask the next release for files that are gone.
  'cache-control': 'no-cache',
};

export function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  return reply.headers(HEADERS).send(html);
}
