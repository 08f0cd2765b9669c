import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import { htmlPage } from './html-page.ts'

/** The folder of the files of the page. */
export const dashboardsFolder = '/dashboards'

/** The choices of the time range: seconds and the name. */
const ranges = [
  [900, '15 minutes'],
  [3600, '1 hour'],
  [21_600, '6 hours'],
  [86_400, '24 hours'],
  [604_800, '7 days'],
  [1_296_000, '15 days'],
] as const

/** The choices of the time between two updates: seconds and the name. */
const refreshes = [
  [0, 'off'],
  [15, '15 seconds'],
  [60, '1 minute'],
] as const

/** Returns the page of dashboards, whose script queries the metrics of the platform in an engine. */
export const dashboardsPage = (engine: string, hasPlots: boolean): string =>
  htmlPage({
    title: 'Dashboards',
    styles: [...(hasPlots ? ['uplot.css'] : []), 'dashboards.css'].map(file => `${dashboardsFolder}/${file}`),
    ...(hasPlots && { script: `${dashboardsFolder}/dashboards.js` }),
    body: `<header>
<h1><span class="brand">Ninefold</span> Dashboards</h1>
<div class="controls">
<label for="range">Range</label>${choice('range', ranges, 3600)}
<label for="refresh">Refresh</label>${choice('refresh', refreshes, 15)}
<button id="update" type="button">Update</button>
</div>
<p id="status" role="status"></p>
<nav aria-label="Pages"><a href="/">API reference</a><button id="sign-out" type="button">Sign out</button></nav>
</header>
${hasPlots ? content(engine) : missing}`,
  })

const content = (engine: string): string => `<main id="panels" data-query="${queryPath(engine)}">
<noscript><p>This page needs JavaScript.</p></noscript>
</main>`

/** Returns the path at which the API answers range queries. The name of an engine has no character to escape. */
const queryPath = (engine: string): string =>
  `/observability/v1/workspaces/${platformWorkspaceId}/engines/${engine}/metrics:queryRange`

const missing = `<main>
<p>The dashboards need the package "uplot", which is not installed: <code>npm install uplot</code></p>
</main>`

const choice = (id: string, options: readonly (readonly [number, string])[], chosen: number): string =>
  `<select id="${id}">${options
    .map(([value, name]) => `<option value="${value}"${value === chosen ? ' selected' : ''}>${name}</option>`)
    .join('')}</select>`
