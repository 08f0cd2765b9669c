import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areas } from '../../server/areas.ts'
import { startPlatform, type StartedPlatform } from '../conformance/platform.ts'
import { drawingBrowser, findChromium, type DrawingBrowser } from './chromium.ts'

const chromium = findChromium()

interface Declared {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>
  readonly 'x-errors': object
}

const declaredBy = (area: string): Declared =>
  parse(readFileSync(join(import.meta.dirname, `../../specs/${area}.yaml`), 'utf8'))

describe.skipIf(chromium === undefined)('the reference in headless Chromium (install chromium to run this)', () => {
  let platform: StartedPlatform
  let browser: DrawingBrowser
  beforeAll(async () => {
    platform = await startPlatform()
    browser = await drawingBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await browser.close()
    await platform.stop()
  })

  test.each(areas.map(({ domain }) => [domain.name, links[domain.name]] as const))(
    'shows every operation and every error of %s, opens at the linked section, and sends no request to other hosts',
    async (area, link) => {
      const { html, console } = await browser.draw(`${platform.baseUrl}/reference/${area}${link?.hash ?? ''}`)
      const { paths, 'x-errors': errors } = declaredBy(area)
      const summaries = Object.values(paths).flatMap(item =>
        Object.values(item).flatMap(({ summary }) => summary ?? []),
      )
      expect(summaries.length).toBeGreaterThan(0)
      expect(summaries.filter(summary => !html.includes(summary))).toEqual([])
      expect(Object.keys(errors).filter(reason => !html.includes(`<code>${reason}</code>`))).toEqual([])
      expect(html).toContain('<strong>Access:</strong>')
      if (link !== undefined) expectSection(html, link)
      // The page generates examples of schemas with `allOf`, and warns that such an example may be wrong.
      expect(console.filter(line => !line.includes('OpenAPI Sampler: found allOf'))).toEqual([])
    },
  )

  test('links all areas from the page at the root, which opens at its section of permissions', async () => {
    const { html, console } = await browser.draw(`${platform.baseUrl}/#section/Permissions`)
    for (const { domain } of areas) expect(html).toContain(`href="/reference/${domain.name}"`)
    expectSection(html, {
      hash: '#section/Permissions',
      section: 'section/Permissions',
      shown: ['<code>compute.vms.get</code>'],
    })
    expect(console).toEqual([])
  })
})

/** A link to a section of a page, and texts that the section shows. */
interface Link {
  readonly hash: string
  readonly section: string
  readonly shown: readonly string[]
}

/** The links of the pages of areas, keyed by the area: one of each kind. A page without a link opens at its top. */
const links: Readonly<Record<string, Link>> = {
  vault: {
    hash: '#tag/secrets/operation/getSecret',
    section: 'operation/getSecret',
    shown: ['<strong>Access:</strong>', '<code>vault.secrets.get</code>', '<code>SECRET_NOT_FOUND</code>'],
  },
  compute: { hash: '#schema/Vm', section: 'schema/Vm', shown: ['>boot_disk<', '>memory_mib<'] },
  storage: {
    hash: '#section/Errors/Of-this-area',
    section: 'section/Errors/Of-this-area',
    shown: ['<code>BUCKET_NOT_FOUND</code>', '<code>BUCKET_NOT_EMPTY</code>'],
  },
}

function expectSection(html: string, { hash, section, shown }: Link): void {
  expect(activeItem(html)).toBe(hash.slice(1))
  const text = sectionText(html, section)
  expect(shown.filter(each => !text.includes(each))).toEqual([])
}

/** Returns the id of the current menu item of a page; undefined if no item is current. */
const activeItem = (html: string): string | undefined =>
  /data-item-id="([^"]*)"[^>]*><label[^>]* active[ "]/.exec(html)?.[1]

/** Returns the HTML of the section with the id `section`; an empty text if the page has no such section. */
const sectionText = (html: string, section: string): string =>
  html.split('data-section-id="').find(part => part.startsWith(`${section}"`)) ?? ''
