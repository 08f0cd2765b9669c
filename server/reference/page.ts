import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { PageLink } from '../pages/page-callers.ts'

/**
 * The headers of a page, which forbid the page to load from and to send to other servers. Inline styles are allowed,
 * because the script of the page creates styles.
 */
export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The file of the package `redoc` that renders a document. The package may not be installed. */
const scriptName = 'redoc/bundles/redoc.standalone.js'

/** The URLs of the page's script, and of an area's page and document. */
export const paths = {
  script: '/reference/redoc.js',
  page: (area: string): string => `/reference/${area}`,
  document: (area: string): string => `/reference/${area}.json`,
} as const

/**
 * Matches the URL of the logo that the script would load from the server of its makers. An empty image replaces the
 * logo.
 */
const remoteImage = /https:\/\/cdn\.redoc\.ly\/[^"'`]+/g
const noImage = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E'

/** Returns the script that renders a document; undefined if its package is not installed. */
export function readScript(): string | undefined {
  const file = scriptFile()
  return file === undefined ? undefined : readFileSync(file, 'utf8').replaceAll(remoteImage, noImage)
}

function scriptFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(scriptName)
  } catch {
    return undefined
  }
}

/**
 * Returns the page of one area, with links to all areas and to the pages `others`. If the package is not installed, the
 * page names the missing package.
 */
export function page(
  area: string,
  areas: readonly string[],
  others: readonly PageLink[],
  isInstalled = scriptFile() !== undefined,
): string {
  const further = others.map(({ path, title }) => `<a href="${path}">${title}</a>`)
  const links = areas.map(
    name => `<a href="${paths.page(name)}"${name === area ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${area} - Ninefold</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<header><strong>Ninefold</strong><nav aria-label="Areas">${links.join('')}</nav>
<nav aria-label="Pages">${further.join('')}</nav></header>
${isInstalled ? reference(area) : missing(areas)}
</body>
</html>
`
}

const fonts = 'system-ui, sans-serif'
const codeFonts = 'ui-monospace, monospace'

const theme = {
  typography: {
    fontFamily: fonts,
    headings: { fontFamily: fonts },
    code: { fontFamily: codeFonts, wrap: true },
  },
}

/** Returns the element in which the script renders the document of an area. */
const reference = (area: string): string => `<redoc spec-url="${paths.document(area)}" scroll-y-offset="header"
  hide-download-button sanitize schema-definitions-tag-name="Schemas" theme='${JSON.stringify(theme)}'></redoc>
<script src="${paths.script}"></script>`

const missing = (areas: readonly string[]): string => `<main>
<p>The reference needs the package "redoc", which is not installed: <code>npm install redoc</code></p>
<p>The documents are served without it:</p>
<ul>${areas.map(name => `<li><a href="/openapi/${name}.json">/openapi/${name}.json</a></li>`).join('')}</ul>
</main>`

const styles = `
body { margin: 0; font-family: ${fonts} }
header { position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center;
  padding: 12px 20px; background: #1b2430; color: #fff }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px }
nav[aria-label='Pages'] { margin-left: auto }
header a { color: #c9d6e6; text-decoration: none }
header a:hover, header a[aria-current] { color: #fff; text-decoration: underline }
main { padding: 20px }
`
