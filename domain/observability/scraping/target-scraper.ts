import { formatMillis } from '../../../runtime/timestamps.ts'
import type { PrometheusScrape, ScrapeTargetStatus } from '../../../output/observability/types.ts'
import { durationMs } from '../../resources/durations.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { DescribedSeries } from '../metrics/metric-batch.ts'
import { StaleMarks, type Labels, type Rejections, type Series } from '../metrics/samples.ts'
import type { OutboundCalls } from '../outbound/outbound-calls.ts'
import { readPage, type PageContent } from './read-page.ts'

/** The formats that a target may answer in, the preferred first, as Prometheus 3 asks for them. */
const accept = [
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6',
  'application/openmetrics-text;version=0.0.1;q=0.5',
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3',
  'text/plain;version=0.0.4;q=0.2',
  '*/*;q=0.1',
].join(',')

/** The series that each scrape writes about the target itself. */
const reportNames = [
  'up',
  'scrape_duration_seconds',
  'scrape_samples_scraped',
  'scrape_samples_post_metric_relabeling',
  'scrape_series_added',
] as const

/** A scrape of a target. */
export interface Scrape {
  readonly outbound: OutboundCalls
  readonly url: string
  readonly labels: Labels
  readonly rules: Pick<PrometheusScrape, 'drop_metrics' | 'honor_labels' | 'sample_limit' | 'scrape_timeout'>
  /** The number of series that the workspace has room for; -1 for no limit. */
  readonly room: number
  /** Returns the header `Authorization`; undefined if none is sent. Rejects with an Error whose message says why. */
  readonly authorization: () => Promise<string | undefined>
  /** The time of the scrape in milliseconds since 1970. */
  readonly time: number
  readonly signal: AbortSignal
}

/** The outcome of a scrape. */
export interface Scraped {
  readonly samples: DescribedSeries
  readonly status: ScrapeTargetStatus
  readonly rejections: Rejections
}

/** The target of one scrape after the other: it knows which series the last scrape had. */
export class TargetScraper {
  /** The series that the last scrape had without times of the page, keyed by the JSON of their labels. */
  #known: ReadonlyMap<string, Labels> = new Map()
  /** The labels of the target in the last scrape, if there was a scrape. */
  #target: Labels | undefined
  /** The time of the last scrape in milliseconds since 1970. */
  #time = 0

  /** The number of series of the last scrape. */
  get size(): number {
    return this.#known.size
  }

  /**
   * Scrapes the target. A fault makes the target down: its series end, and `up` is 0. A series that has left the page ends
   * too. Never rejects.
   */
  async scrape(scrape: Scrape): Promise<Scraped> {
    const { labels, time, url } = scrape
    const began = performance.now()
    const page = await contentOf(scrape).catch((error: unknown) => faultOf(error))
    const seconds = (performance.now() - began) / 1000
    const content = typeof page === 'string' ? undefined : page
    const { added, gone } = this.#change(content)
    this.#target = labels
    this.#time = time
    const reported: Record<(typeof reportNames)[number], number> = {
      up: content ? 1 : 0,
      scrape_duration_seconds: seconds,
      scrape_samples_scraped: content?.scraped ?? 0,
      scrape_samples_post_metric_relabeling: content?.kept ?? 0,
      scrape_series_added: added,
    }
    const series = [
      ...(await seriesOfPage(content)),
      ...gone.map(ended => endOf(ended, time)),
      ...Object.entries(reported).map(([name, value]) => valueOf({ ...labels, __name__: name }, time, value)),
    ]
    const status = {
      url,
      up: content !== undefined,
      last_scrape_time: formatMillis(time),
      last_error: typeof page === 'string' ? page : '',
      samples: content?.kept ?? 0,
    }
    const samples = { series, metadata: content?.metadata ?? [] }
    return { samples, status, rejections: content?.rejections ?? {} }
  }

  /**
   * Returns the end of all series of the target at `now` in milliseconds since 1970, but after their last sample, for a
   * target that is scraped no more; undefined if there are none.
   */
  end(now: number): readonly Series[] | undefined {
    const target = this.#target
    if (target === undefined) return undefined
    const time = Math.max(now, this.#time + 1)
    const { gone } = this.#change(undefined)
    this.#target = undefined
    const reports = reportNames.map(name => ({ ...target, __name__: name }))
    return [...gone, ...reports].map(labels => endOf(labels, time))
  }

  /** Replaces the known series; returns the number of new ones and the labels of those that are gone. */
  #change(content: PageContent | undefined): { readonly added: number; readonly gone: readonly Labels[] } {
    const before = this.#known
    const now = new Map<string, Labels>()
    let added = 0
    for (const [key, { hasTimes, labels }] of content?.series ?? []) {
      if (!before.has(key)) added += 1
      if (!hasTimes) now.set(key, labels)
    }
    this.#known = now
    const gone = [...before].filter(([key]) => !(content?.series.has(key) ?? false))
    return { added, gone: gone.map(([, labels]) => labels) }
  }
}

async function contentOf(scrape: Scrape): Promise<PageContent> {
  const { labels, outbound, room, rules, signal, time, url } = scrape
  const timeoutMs = durationMs(rules.scrape_timeout)
  const authorization = await scrape.authorization()
  const headers = {
    accept,
    'user-agent': 'ninefold',
    'x-prometheus-scrape-timeout-seconds': String(timeoutMs / 1000),
    ...(authorization !== undefined && { authorization }),
  }
  const response = await outbound.send({ method: 'GET', url, headers, timeoutMs, signal })
  if (response.status !== 200) throw new Error(`the target answered with the HTTP status ${response.status}`)
  const content = await readPage(response.body, response.headers['content-type'], time, {
    target: labels,
    honorLabels: rules.honor_labels,
    dropMetrics: rules.drop_metrics,
    sampleLimit: rules.sample_limit,
  })
  if (room >= 0 && content.series.size > room)
    throw new Error(`the page has ${content.series.size} series, and the workspace has room for ${room}`)
  return content
}

const faultOf = (error: unknown): string => (error instanceof Error ? error.message : 'the scrape failed')

const seriesOf = ({
  labels,
  times,
  values,
}: {
  labels: Labels
  times: readonly number[]
  values: readonly number[]
}) => ({
  labels,
  times: Float64Array.from(times),
  values: Float64Array.from(values),
})

/** The number of series that are built before other work of the server has its turn. */
const sliceSeries = 2_000

async function seriesOfPage(content: PageContent | undefined): Promise<readonly Series[]> {
  const all: Series[] = []
  for (const series of content?.series.values() ?? []) {
    all.push(seriesOf(series))
    if (all.length % sliceSeries === 0) await nextTurn()
  }
  return all
}

const valueOf = (labels: Labels, time: number, value: number): Series =>
  seriesOf({ labels, times: [time], values: [value] })

function endOf(labels: Labels, time: number): Series {
  const series = valueOf(labels, time, 0)
  new StaleMarks(series.values).set(0)
  return series
}
