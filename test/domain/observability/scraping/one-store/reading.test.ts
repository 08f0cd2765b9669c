import { describe, expect, it } from 'vitest'
import { readPage, type PageRules } from '../../../../../domain/observability/scraping/read-page.ts'
import { canonicalNumber } from '../../../../../domain/observability/scraping/pages/page-numbers.ts'
import { offsetOf, tickAfter } from '../../../../../domain/observability/scraping/ticks.ts'
import { seeded } from '../../../../areas/random.ts'

const rules: PageRules = { target: {}, honorLabels: false, dropMetrics: [], sampleLimit: 100_000 }
const read = (page: string, more: Partial<PageRules> = {}, type = 'text/plain') =>
  readPage(Buffer.from(page), type, 1000, { ...rules, ...more })
const labelsOf = async (page: string, more: Partial<PageRules>) =>
  [...(await read(page, more)).series.values()].map(({ labels }) => labels)

describe('labels of a page that the target has too', () => {
  const target = { job: 'shop', instance: 'a:1' }

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['m{job="x"} 1', { exported_job: 'x', job: 'shop', instance: 'a:1' }, { job: 'x', instance: 'a:1' }],
    [
      'm{job="x",exported_job="y"} 1',
      { exported_exported_job: 'x', exported_job: 'y', job: 'shop', instance: 'a:1' },
      { exported_job: 'y', job: 'x', instance: 'a:1' },
    ],
    ['m{job=""} 1', { job: 'shop', instance: 'a:1' }, { instance: 'a:1' }],
  ])('of %s', async (page, renamed, honored) => {
    expect(await labelsOf(page, { target })).toEqual([{ __name__: 'm', ...renamed }])
    expect(await labelsOf(page, { target, honorLabels: true })).toEqual([{ __name__: 'm', ...honored }])
  })
})

describe('a page', () => {
  it('fails as a whole at a fault, whose line the fault names', async () => {
    await expect(read('a 1\nb 2\n\nc{x="1" 3\n')).rejects.toThrow(/^line 4 of the page: /)
    await expect(read('a 1\n', {}, 'application/openmetrics-text')).rejects.toThrow('line 2 of the page: ')
    await expect(read('a 1\n', {}, 'text/html; charset=utf-8')).rejects.toThrow(/media type/)
    await expect(read('a 1\n# EOF\n', {}, 'Application/OpenMetrics-Text; version=1.0.0')).resolves.toMatchObject({
      kept: 1,
    })
  })

  it('tells nothing of its content in a fault', async () => {
    const fault: unknown = await read('<html>hidden words</html>').catch((error: unknown) => error)
    expect(String(fault)).not.toMatch(/html|hidden/)
  })

  it('fails above the limit of samples, which metrics that are left out do not count for', async () => {
    const page = 'a 1\nb 1\ngo_x 1\ngo_y 1\n'
    await expect(read(page, { sampleLimit: 3 })).rejects.toThrow('the page has 4 samples, and at most 3 are taken')
    expect(await read(page, { sampleLimit: 2, dropMetrics: ['go_*'] })).toMatchObject({ scraped: 4, kept: 2 })
  })

  it('counts samples that are refused, and takes the others', async () => {
    const many = Array.from({ length: 31 }, (_, i) => `l${i}="x"`).join(',')
    const page = `a 1\na 2\nplatform_x 1\nb{${many}} 1\nc{v="${'x'.repeat(2049)}"} 1\nd 1 5\nd 2 4\n`
    const { rejections, series } = await read(page)
    expect(series.size).toBe(2)
    expect(rejections).toEqual({
      duplicate_sample: 1,
      metric_name_reserved: 1,
      label_limit: 1,
      label_value_length: 1,
      out_of_order: 1,
    })
  })

  it('says what its metrics are', async () => {
    const page = '# HELP a_s of\\\\all\n# TYPE a_s counter\n# UNIT a_s s\n# TYPE b stateset\n# EOF\n'
    expect((await read(page, {}, 'application/openmetrics-text')).metadata).toEqual([
      { name: 'a_s', type: 'COUNTER', unit: 's', description: 'of\\all' },
      { name: 'b', type: 'GAUGE', unit: '', description: '' },
    ])
  })

  it('of ten megabytes leaves the event loop free', async () => {
    const line = (i: number) => `requests_total{path="/p/${i}",code="200",method="GET",host="host-${i % 100}"} ${i}\n`
    const page = Array.from({ length: 120_000 }, (_, i) => line(i)).join('')
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    await read(page, { sampleLimit: 1_000_000 })
    clearInterval(timer)
    expect(longest).toBeLessThan(200)
  })
})

it.each([
  ['1', '1.0'],
  ['0', '0.0'],
  ['-0', '0.0'],
  ['0.5', '0.5'],
  ['1e6', '1e+06'],
  ['1000001', '1.000001e+06'],
  ['123456', '123456.0'],
  ['0.0001', '0.0001'],
  ['0.00001', '1e-05'],
  ['+Inf', '+Inf'],
  ['nan', 'NaN'],
  ['x', 'x'],
])('the number %s of a label is stored as %s', (text, canonical) => {
  expect(canonicalNumber(text)).toBe(canonical)
})

it('ticks do not drift, and spread over the interval', () => {
  const random = seeded(7)
  for (let i = 0; i < 1000; i += 1) {
    const intervalMs = 1000 * (5 + random.below(3596))
    const offset = offsetOf(`key ${i}`, intervalMs)
    const now = 1_700_000_000_000 + random.below(1e9)
    const next = tickAfter(now, intervalMs, offset)
    expect(next).toBeGreaterThan(now)
    expect(next - now).toBeLessThanOrEqual(intervalMs)
    expect((next - offset) % intervalMs).toBe(0)
    expect(tickAfter(next, intervalMs, offset)).toBe(next + intervalMs)
  }
  const offsets = Array.from({ length: 2000 }, (_, i) => offsetOf(`key ${i}`, 30_000))
  const perSecond = Array.from({ length: 30 }, (_, s) => offsets.filter(at => Math.floor(at / 1000) === s).length)
  expect(Math.max(...perSecond)).toBeLessThan(120)
  expect(Math.min(...perSecond)).toBeGreaterThan(30)
})
