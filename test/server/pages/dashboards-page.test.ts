import { expect, it } from 'vitest'
import { dashboardsPage } from '../../../server/pages/dashboards-page.ts'

it('names the missing package, and loads no script, without the package that draws lines', () => {
  const text = dashboardsPage('native', false)
  expect(text).toContain('npm install uplot')
  expect(text).not.toContain('<script')
  expect(text).not.toContain('uplot.css')
})

it('queries the engine with the telemetry of the platform', () => {
  expect(dashboardsPage('mimir', true)).toContain('/engines/mimir/metrics:queryRange"')
})
