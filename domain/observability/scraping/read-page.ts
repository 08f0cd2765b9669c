import { matchesAny } from '../../resources/glob.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { seriesFault } from '../ingest/label-rules.ts'
import type { Labels, MetricMetadata } from '../metrics/samples.ts'
import { FamilyMetadata } from './family-metadata.ts'
import { openMetrics } from './pages/open-metrics.ts'
import { PageFault, type PageEntries, type PageEntry, type PageSample } from './pages/page-entries.ts'
import { canonicalNumber } from './pages/page-numbers.ts'
import { PageScanner } from './pages/page-scanner.ts'
import { prometheusText } from './pages/prometheus-text.ts'
import { seriesLabels } from './series-labels.ts'

/** The time in milliseconds for which a page is read before other work of the server has its turn. */
const sliceMs = 5

/** The number of entries that are read between two looks at the clock. */
const sliceEntries = 100

/** The rules by which the samples of a page become series. */
export interface PageRules {
  /** The labels of the target. */
  readonly target: Labels
  readonly honorLabels: boolean
  /** The globs of metrics that are left out. */
  readonly dropMetrics: readonly string[]
  /** The largest number of samples that are kept. */
  readonly sampleLimit: number
}

/** A series of a page. */
export interface PageSeries {
  readonly labels: Labels
  readonly times: number[]
  readonly values: number[]
  /** Whether the page itself gives the times. Such a series does not end when it leaves the page. */
  readonly hasTimes: boolean
}

/** The series of a page and their numbers. */
export interface PageContent {
  /** The series, keyed by the JSON of their sorted labels. */
  readonly series: ReadonlyMap<string, PageSeries>
  readonly metadata: readonly MetricMetadata[]
  /** The samples of the page, and those that are left after `dropMetrics`. */
  readonly scraped: number
  readonly kept: number
  /** The samples that are refused, by reason. */
  readonly rejections: Readonly<Record<string, number>>
}

/**
 * Reads a page; `time` is the time of samples that give none, in milliseconds since 1970. Gives way to other work of the
 * server every few milliseconds. Throws `PageFault` for a faulty page and for more samples than the limit: the page then
 * counts as a whole for nothing.
 */
export async function readPage(
  body: Uint8Array,
  contentType: string | undefined,
  time: number,
  rules: PageRules,
): Promise<PageContent> {
  const content = new Content(rules, time)
  let count = 0
  let turn = performance.now()
  for (const entry of entriesOf(body, contentType)) {
    content.add(entry)
    count += 1
    if (count % sliceEntries > 0 || performance.now() - turn < sliceMs) continue
    await nextTurn()
    turn = performance.now()
  }
  return content.end()
}

/** Returns the entries of a page of the media type that a target names; without one, the page is Prometheus text. */
function entriesOf(body: Uint8Array, contentType = ''): PageEntries {
  const [media = ''] = contentType.split(';')
  const type = media.trim().toLowerCase()
  const page = scannerOf(body)
  if (type === 'application/openmetrics-text') return openMetrics(page)
  if (type === 'text/plain' || type === '') return prometheusText(page)
  throw new PageFault('the media type of the page is neither text/plain nor application/openmetrics-text')
}

function scannerOf(body: Uint8Array): PageScanner {
  try {
    return new PageScanner(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), false)
  } catch {
    return new PageScanner(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body), true)
  }
}

class Content {
  readonly #rules: PageRules
  readonly #time: number
  readonly #series = new Map<string, PageSeries>()
  readonly #families = new FamilyMetadata()
  readonly #rejections = new Map<string, number>()
  #scraped = 0
  #kept = 0

  constructor(rules: PageRules, time: number) {
    this.#rules = rules
    this.#time = time
  }

  add(entry: PageEntry): void {
    if (entry.kind !== 'sample') return this.#families.add(entry)
    this.#scraped += 1
    const { dropMetrics, sampleLimit } = this.#rules
    if (matchesAny(dropMetrics, entry.name)) return
    this.#kept += 1
    // The rest of a page with too many samples is only counted.
    if (this.#kept <= sampleLimit) this.#addSample(entry)
  }

  end(): PageContent {
    const { sampleLimit } = this.#rules
    if (this.#kept > sampleLimit)
      throw new PageFault(`the page has ${this.#kept} samples, and at most ${sampleLimit} are taken`)
    return {
      series: this.#series,
      metadata: this.#families.all(),
      scraped: this.#scraped,
      kept: this.#kept,
      rejections: Object.fromEntries(this.#rejections),
    }
  }

  #addSample({ labels: given, name, time, value }: PageSample): void {
    if (new Set(given.map(([label]) => label).concat('__name__')).size <= given.length)
      throw new PageFault(`the metric ${name.slice(0, 80)} has a label twice`)
    const { honorLabels, target } = this.#rules
    const labels = seriesLabels({ name, labels: given.map(pair => this.#canonical(pair)) }, target, honorLabels)
    const fault = seriesFault(labels)
    if (fault) return this.#reject(fault.reason)
    const key = JSON.stringify(labels)
    const at = time ?? this.#time
    const known = this.#series.get(key)
    if (known === undefined) {
      const series = { labels: Object.fromEntries(labels), times: [at], values: [value] }
      this.#series.set(key, { ...series, hasTimes: time !== undefined })
    } else if (at > (known.times.at(-1) ?? 0)) {
      known.times.push(at)
      known.values.push(value)
    } else this.#reject(at === known.times.at(-1) ? 'duplicate_sample' : 'out_of_order')
  }

  #canonical([label, text]: readonly [string, string]): readonly [string, string] {
    return [label, this.#families.isNumber(label) ? canonicalNumber(text) : text]
  }

  #reject(reason: string): void {
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1)
  }
}
