import { execFileSync } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../../../../domain/observability/scraping/read-page.ts'
import { PageFault } from '../../../../../domain/observability/scraping/pages/page-entries.ts'
import { seeded } from '../../../../areas/random.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { mediaTypes, mutated, randomPage } from './random-pages.ts'

/** The number of pages of each format; half of them are changed by a few bytes. */
const pages = Number(process.env['NINEFOLD_SCRAPED_PAGES'] ?? 2000)

/** A page as the parser of Prometheus 3 reads it. */
interface Judged {
  readonly fault?: string
  readonly samples: readonly {
    readonly labels: Record<string, string>
    readonly value: string
    readonly time?: number
  }[]
}

interface Page {
  readonly type: string
  readonly page: string
}

/** Returns what the parser of Prometheus makes of pages. */
async function judge(given: readonly Page[]): Promise<readonly Judged[]> {
  await using made = await mkdtempDisposable(join(tmpdir(), 'ninefold-pages-'))
  const program = join(made.path, 'pages')
  execFileSync('go', ['build', '-o', program, './pages'], { cwd: join(import.meta.dirname, '../../oracle') })
  const input = given.map(page => `${JSON.stringify(page)}\n`).join('')
  const output = execFileSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return output
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Judged)
}

const scrapeTime = 5_000_000_000_000

const bits = (value: number): string => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0).toString(16)
}

/** A series with a value at a time, as both parsers give it. */
const textOf = (labels: object, time: number, value: string): string => JSON.stringify([labels, time, value])

const sorted = (labels: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([, value]) => value !== '')
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

/** Returns the samples of a page, in no order, or undefined for a faulty page. */
async function ours({ page, type }: Page): Promise<readonly string[] | undefined> {
  const rules = { target: {}, honorLabels: false, dropMetrics: [], sampleLimit: 1000 }
  try {
    const { series } = await readPage(Buffer.from(page, 'base64'), type, scrapeTime, rules)
    return [...series.values()].flatMap(({ labels, times, values }) =>
      times.map((time, i) => textOf(sorted(labels), time, bits(values[i] ?? 0))),
    )
  } catch (error) {
    if (error instanceof PageFault) return undefined
    throw error
  }
}

/** Returns the samples that a scrape of Prometheus takes: of samples of one series, those that are later than the others. */
function theirs({ fault, samples }: Judged): readonly string[] | undefined {
  if (fault !== undefined) return undefined
  const last = new Map<string, number>()
  return samples.flatMap(({ labels, time = scrapeTime, value }) => {
    const key = JSON.stringify(sorted(labels))
    if (time <= (last.get(key) ?? -Infinity)) return []
    last.set(key, time)
    // Prometheus gives all NaN the bits of one.
    return [textOf(sorted(labels), time, value === '7ff8000000000001' ? bits(Number.NaN) : value)]
  })
}

describe('pages are read as the parser of Prometheus 3 reads them', () => {
  it.skipIf(lacks('with the parser of Prometheus', 'go')).each(['text', 'open'] as const)(
    `${pages} pages of the format %s`,
    async format => {
      const random = seeded(format === 'text' ? 41 : 42)
      const given = Array.from({ length: pages }, (_, i) => {
        const page = randomPage(random, format)
        const bytes = i % 2 === 0 ? Buffer.from(page) : mutated(random, page)
        return { type: mediaTypes[format], page: bytes.toString('base64') }
      })
      const judged = await judge(given)
      const different: unknown[] = []
      let accepted = 0
      for (const [i, page] of given.entries()) {
        const [own, other] = [await ours(page), theirs(judged[i] ?? { samples: [] })]
        if (other !== undefined) accepted += 1
        if (JSON.stringify(own?.toSorted()) !== JSON.stringify(other?.toSorted()))
          different.push({ page: Buffer.from(page.page, 'base64').toString(), own, other, fault: judged[i]?.fault })
      }
      expect(accepted).toBeGreaterThan(pages / 10)
      expect(different.slice(0, 5)).toEqual([])
      expect(different).toHaveLength(0)
    },
  )
})
