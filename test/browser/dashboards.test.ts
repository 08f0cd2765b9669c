import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { MetricSample } from '../../domain/ports/observability.ts'
import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import { Ninefold } from '../../output/client.ts'
import { createTransport } from '../../runtime/transport.ts'
import type { PlatformServices } from '../../server/area-parts.ts'
import { areas } from '../../server/areas.ts'
import { startPlatform, type StartedPlatform } from '../conformance/platform.ts'
import { administrator } from '../server/access/sign-in.ts'
import { drawingBrowser, findChromium, type DrawingBrowser } from './chromium.ts'
import type { Tab } from './tab.ts'

const chromium = findChromium()

/**
 * Returns the areas, without the worker that writes the metrics of the server itself, and a function that takes samples
 * as the worker does.
 */
function areasWithSamples() {
  let services: PlatformServices | undefined
  const watched = areas.map(area => ({
    ...area,
    mount(parts: PlatformServices) {
      services = parts
      const mounted = area.mount(parts)
      return { ...mounted, workers: mounted.workers.filter(({ name }) => name !== 'observability.ownMetrics') }
    },
  }))
  return {
    watched,
    async write(metrics: readonly MetricSample[]) {
      await services?.functions.require('observability').ingest(platformWorkspaceId, { metrics })
    },
  }
}

const minuteMs = 60_000
const intervalMs = 15_000

/**
 * Returns samples from 20 minutes before to 8 minutes after `now`: 4 requests a second for iam, and 256 MiB of memory
 * with a gap of five minutes.
 */
function samplesAround(now: number): MetricSample[] {
  const samples: MetricSample[] = []
  for (let time = now - 20 * minuteMs; time < now + 8 * minuteMs; time += intervalMs) {
    const requests = (4 * (time - now + 30 * minuteMs)) / 1000
    const labels = { instance: 'test', area: 'iam', code: 'OK' }
    samples.push({ name: 'platform_http_requests_total', type: 'COUNTER', labels, time, value: requests })
    const isInGap = time > now - 7 * minuteMs && time < now - 2 * minuteMs
    if (isInGap) continue
    const memory = { labels: { instance: 'test' }, time, value: 2 ** 28 }
    samples.push({ name: 'platform_process_resident_bytes', type: 'GAUGE', ...memory })
  }
  return samples
}

/**
 * Defines functions of the title of a chart in the page: `panel` returns the chart, `columns` the columns of its canvas
 * that have the colour of the first line.
 */
const lookups = `
  const titleOf = panel => panel.querySelector('h3').textContent
  globalThis.panel = title => [...document.querySelectorAll('.panel')].find(panel => titleOf(panel) === title)
  globalThis.columns = title => {
    const canvas = panel(title).querySelector('canvas')
    const probe = document.createElement('canvas').getContext('2d')
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--line-1').trim()
    probe.fillRect(0, 0, 1, 1)
    const colour = probe.getImageData(0, 0, 1, 1).data
    const { data, height, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const isLine = at => [0, 1, 2].every(part => Math.abs(data[at + part] - colour[part]) < 24) && data[at + 3] > 128
    return Array.from({ length: width }, (_, x) => x).filter(x =>
      Array.from({ length: height }, (_, y) => 4 * (y * width + x)).some(isLine))
  }`

const pathOf = (tab: Tab): Promise<unknown> => tab.evaluate('location.pathname')

/** Waits until all charts have been updated. On a loaded machine, the queries of the charts take a minute. */
async function expectUpdate(tab: Tab): Promise<void> {
  const state = () => tab.evaluate(`document.querySelector('main')?.getAttribute('aria-busy')`)
  await expect.poll(state, { timeout: 150_000 }).toBe('false')
}

async function signIn(tab: Tab, { email, password }: { readonly email: string; readonly password: string }) {
  await expect.poll(() => tab.evaluate(`document.querySelector('form button:enabled') !== null`)).toBe(true)
  await tab.evaluate(`
    document.querySelector('#email').value = ${JSON.stringify(email)}
    document.querySelector('#password').value = ${JSON.stringify(password)}
    document.querySelector('form').requestSubmit()`)
}

describe.skipIf(chromium === undefined)('the dashboards in headless Chromium (install chromium to run this)', () => {
  let platform: StartedPlatform
  let browser: DrawingBrowser
  beforeAll(async () => {
    const { watched, write } = areasWithSamples()
    platform = await startPlatform({}, watched)
    const samples = samplesAround(Date.now())
    const token = platform.authorization.slice('Bearer '.length)
    const { observability } = new Ninefold(createTransport({ baseUrl: platform.baseUrl, token }))
    const body = { query: 'count(platform_http_requests_total)' }
    const call = { workspace: platformWorkspaceId, engine: 'native', body }
    // The engine drops samples until the server holds its lease.
    const written = async (): Promise<void> => {
      await write(samples)
      const { vector } = await observability.queryMetrics(call)
      expect(vector.map(({ value }) => value)).toEqual(['1'])
    }
    await vi.waitFor(written, { timeout: 60_000, interval: 100 })
    browser = await drawingBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
  })

  test('refuse a wrong password with the message of the API, and show nothing of the dashboards', async () => {
    const tab = await browser.open()
    await tab.go(`${platform.baseUrl}/dashboards`)
    await signIn(tab, { ...administrator, password: 'not the password' })
    const message = () => tab.evaluate(`document.querySelector('#message').textContent`)
    await expect.poll(message).toMatch(/password/)
    expect(await pathOf(tab)).toBe('/sign-in')
    expect(await tab.evaluate('document.documentElement.outerHTML')).not.toMatch(/dashboard/i)
    await tab.close()
  })

  test('show a signed-in user the samples as lines and as tables, without a fault in the console', async () => {
    const tab = await browser.open()
    const size = { width: 1400, height: 900, deviceScaleFactor: 1, mobile: false }
    await tab.send('Emulation.setDeviceMetricsOverride', size)
    await tab.go(`${platform.baseUrl}/dashboards`)
    await signIn(tab, administrator)
    await expect.poll(() => pathOf(tab)).toBe('/dashboards')
    await expectUpdate(tab)
    await tab.evaluate(lookups)
    await tab.evaluate(`
      const range = document.querySelector('#range')
      range.value = '900'
      range.dispatchEvent(new Event('change'))`)
    await expectUpdate(tab)

    const legend = (title: string) => tab.evaluate(`panel(${JSON.stringify(title)}).querySelector('ul').textContent`)
    expect(await legend('Requests by area')).toBe('iam4/s')
    expect(await legend('Memory')).toBe('resident256 MiB')
    await expectLine(tab, 'Requests by area')
    await expectGap(tab, 'Memory')
    expect(await tab.evaluate(`panel('Frames of the network').hidden`)).toBe(true)
    const message = await tab.evaluate(`panel('Time of requests').querySelector('.message').textContent`)
    expect(message).toBe('No samples in this time.')

    const cells = `[...panel('Memory').querySelectorAll('tbody th, tbody td')].map(cell => cell.textContent)`
    expect(await tab.evaluate(cells)).toEqual(['resident', '256 MiB', '256 MiB', '256 MiB', '256 MiB'])
    const spoken = await tab.evaluate(`panel('Memory').querySelector('.plot').getAttribute('aria-label')`)
    expect(spoken).toBe('Memory: resident 256 MiB')

    const readout = () => tab.evaluate(`panel('Requests by area').querySelector('.readout').textContent`)
    expect(await readout()).toBe('')
    await tab.evaluate(`panel('Requests by area').querySelector('.plot').focus()`)
    for (const type of ['keyDown', 'keyUp']) await tab.send('Input.dispatchKeyEvent', { type, key: 'ArrowLeft' })
    await expect.poll(readout).not.toBe('')
    for (const type of ['keyDown', 'keyUp']) await tab.send('Input.dispatchKeyEvent', { type, key: 'Escape' })
    await expect.poll(readout).toBe('')

    await tab.evaluate(`panel('Memory').querySelector('ul button').click()`)
    expect(await tab.evaluate(`panel('Memory').querySelector('ul button').getAttribute('aria-pressed')`)).toBe('false')
    await expect.poll(() => tab.evaluate(`columns('Memory').length`)).toBe(0)

    // The browser advises the test, which reads the pixels of the charts.
    expect(tab.console.filter(line => !line.includes('willReadFrequently'))).toEqual([])
    await tab.go(`${platform.baseUrl}/`)
    const link = () => tab.evaluate(`document.querySelector('nav a[href="/dashboards"]')?.textContent`)
    await expect.poll(link).toBe('Dashboards')
    await tab.close()
  })

  test('are closed after signing out', async () => {
    const tab = await browser.open()
    await tab.go(`${platform.baseUrl}/sign-in`)
    await signIn(tab, administrator)
    await expect.poll(() => pathOf(tab)).toBe('/dashboards')
    await expectUpdate(tab)
    await tab.evaluate(`document.querySelector('#sign-out').click()`)
    await expect.poll(() => pathOf(tab)).toBe('/sign-in')
    await tab.go(`${platform.baseUrl}/dashboards`)
    await expect.poll(() => tab.evaluate(`document.querySelector('form') !== null`)).toBe(true)
    expect(await pathOf(tab)).toBe('/sign-in')
    expect(tab.console).toEqual([])
    await tab.close()
  })
})

/** Returns the columns of a chart with its line, and the largest distance of neighbours, once the line is drawn. */
async function lineOf(tab: Tab, title: string): Promise<{ readonly width: number; readonly widest: number }> {
  const columnsOf = async (): Promise<readonly number[]> => {
    const found = await tab.evaluate(`columns(${JSON.stringify(title)})`)
    return Array.isArray(found) ? found.map(Number) : []
  }
  await expect.poll(async () => (await columnsOf()).length).toBeGreaterThan(100)
  const found = await columnsOf()
  const widest = Math.max(...found.slice(1).map((column, index) => column - (found[index] ?? column)))
  return { width: (found.at(-1) ?? 0) - (found[0] ?? 0), widest }
}

async function expectLine(tab: Tab, title: string): Promise<void> {
  const { widest, width } = await lineOf(tab, title)
  expect(widest).toBeLessThan(0.03 * width)
}

/** Expects the gap of five minutes in a line of 15 minutes; each sample counts for a minute. */
async function expectGap(tab: Tab, title: string): Promise<void> {
  const { widest, width } = await lineOf(tab, title)
  expect(widest).toBeGreaterThan(0.15 * width)
}
