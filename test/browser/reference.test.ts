import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areas } from '../../server/areas.ts'
import { startPlatform, type StartedPlatform } from '../conformance/platform.ts'
import { drawPage, findChromium } from './chromium.ts'

const chromium = findChromium()

interface Declared {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>
  readonly 'x-errors': object
}

const declaredBy = (area: string): Declared =>
  parse(readFileSync(join(import.meta.dirname, `../../specs/${area}.yaml`), 'utf8'))

describe.skipIf(chromium === undefined)('the reference in headless Chromium (install chromium to run this)', () => {
  let platform: StartedPlatform
  beforeAll(async () => void (platform = await startPlatform()))
  afterAll(async () => platform.stop())

  test.each(areas.map(({ domain }) => domain.name))(
    'shows every operation and every error of %s, and asks nothing of other hosts',
    async area => {
      const { html, console } = await drawPage(chromium ?? '', `${platform.baseUrl}/reference/${area}`)
      const { paths, 'x-errors': errors } = declaredBy(area)
      const summaries = Object.values(paths).flatMap(item =>
        Object.values(item).flatMap(({ summary }) => summary ?? []),
      )
      expect(summaries.length).toBeGreaterThan(0)
      expect(summaries.filter(summary => !html.includes(summary))).toEqual([])
      expect(Object.keys(errors).filter(reason => !html.includes(`<code>${reason}</code>`))).toEqual([])
      expect(html).toContain('<strong>Access:</strong>')
      expect(console).toEqual([])
    },
  )

  test('links all areas from the page at the root', async () => {
    const { html, console } = await drawPage(chromium ?? '', `${platform.baseUrl}/`)
    for (const { domain } of areas) expect(html).toContain(`href="/reference/${domain.name}"`)
    expect(html).toContain('id="section/Permissions"')
    expect(console).toEqual([])
  })
})
