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
    'shows every operation and every error of %s, and sends no request to other hosts',
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
      // The page generates examples of schemas with `allOf`, and warns that such an example may be wrong.
      expect(console.filter(line => !line.includes('OpenAPI Sampler: found allOf'))).toEqual([])
    },
  )

  test('links all areas from the page at the root', async () => {
    const { html, console } = await drawPage(chromium ?? '', `${platform.baseUrl}/`)
    for (const { domain } of areas) expect(html).toContain(`href="/reference/${domain.name}"`)
    expect(html).toContain('id="section/Permissions"')
    expect(console).toEqual([])
  })

  test.each<[link: string, active: string, section: string, shown: readonly string[]]>([
    [
      '/reference/vault#tag/secrets/operation/getSecret',
      'tag/secrets/operation/getSecret',
      'operation/getSecret',
      ['<strong>Access:</strong>', '<code>vault.secrets.get</code>', '<code>SECRET_NOT_FOUND</code>'],
    ],
    [
      '/reference/vault#schema/Secret',
      'schema/Secret',
      'schema/Secret',
      ['>version_destroy_delay<', '>enabled_version_count<'],
    ],
    [
      '/reference/vault#section/Errors/Of-this-area',
      'section/Errors/Of-this-area',
      'section/Errors/Of-this-area',
      ['<code>VAULT_SEALED</code>', '<code>CAPSULE_NOT_FOUND</code>'],
    ],
    ['/#section/Permissions', 'section/Permissions', 'section/Permissions', ['<code>compute.vms.get</code>']],
  ])('opens %s at its section', async (link, active, section, shown) => {
    const { html, console } = await drawPage(chromium ?? '', platform.baseUrl + link)
    expect(activeItem(html)).toBe(active)
    const text = sectionText(html, section)
    expect(shown.filter(each => !text.includes(each))).toEqual([])
    expect(console).toEqual([])
  })
})

/** Returns the id of the current menu item of a page; undefined if no item is current. */
const activeItem = (html: string): string | undefined =>
  /data-item-id="([^"]*)"[^>]*><label[^>]* active[ "]/.exec(html)?.[1]

/** Returns the HTML of the section with the id `section`; an empty text if the page has no such section. */
const sectionText = (html: string, section: string): string =>
  html.split('data-section-id="').find(part => part.startsWith(`${section}"`)) ?? ''
