/** The parts of a page. Texts are HTML and must be escaped. */
export interface PageParts {
  readonly title: string
  /** The URLs of style sheets, which the page loads from its own origin. */
  readonly styles: readonly string[]
  /** The URL of the module of the page. */
  readonly script?: string
  readonly body: string
}

/**
 * The headers of a page: everything that the page loads and calls is of its own origin, no other site may show it, and
 * no cache keeps it.
 */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** Returns a page that has no script or style of its own in its text. */
export const htmlPage = ({ body, script, styles, title }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Ninefold</title>
<link rel="icon" href="data:,">
${styles.map(url => `<link rel="stylesheet" href="${url}">`).join('\n')}
${script === undefined ? '' : `<script type="module" src="${script}"></script>`}
</head>
<body>
${body}
</body>
</html>
`
