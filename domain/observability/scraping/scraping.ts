import type { ScrapeTarget } from '../../../output/observability/types.ts'
import type { Worker } from '../../ports/workers.ts'
import { durationMs } from '../../resources/durations.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { BoundedWork } from '../alert-work/bounded-work.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { ingestionConfigCollection, type StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import type { Received } from '../ingestion-configs/ingestion-status.ts'
import { targetLabels } from '../ingestion-configs/target-labels.ts'
import { batchOf, type DescribedSeries } from '../metrics/metric-batch.ts'
import { effectiveLimit } from '../quotas/limits.ts'
import { secretOf } from '../ingestion-configs/authorization-secret.ts'
import { SecretPayloads } from '../outbound/secret-payloads.ts'
import { TargetScraper } from './target-scraper.ts'
import { offsetOf, tickAfter } from './ticks.ts'

/** The time between two looks at the configs, in milliseconds. */
const everyMs = 1_000

/** The time between two looks for due targets, in milliseconds. */
const dueMs = 20

/** The time by which a scrape may be late and still count for its tick, in milliseconds. */
const lateMs = 1_000

/** The scrapes that run at one time, in all and in one workspace: slow targets delay those of their workspace only. */
const [maxTotal, maxPerWorkspace] = [128, 16]

/** The number of series that are written at one time: copying them to the engine holds the event loop. */
const writtenSeries = 5_000

/** The parts of scraping. */
export type ScrapingParts = Pick<
  ObservabilityEnvironment,
  | 'clock'
  | 'failed'
  | 'functions'
  | 'limits'
  | 'metrics'
  | 'outbound'
  | 'retentions'
  | 'scrapeCounts'
  | 'statuses'
  | 'store'
  | 'taxonomy'
>

/** A target that is scraped. */
interface Scraped {
  config: StoredIngestionConfig
  readonly target: ScrapeTarget
  readonly scraper: TargetScraper
  next: number
}

/**
 * Returns the worker that scrapes the targets of all workspaces. Its lease makes one server scrape all targets, as the
 * time series of the native engine lie on one server too. Between its runs, targets are scraped at their ticks.
 */
export function scraping(parts: ScrapingParts & Pick<ObservabilityEnvironment, 'lease'>): Worker {
  let current: { readonly schedule: ScrapeSchedule; readonly tenure: AbortSignal } | undefined
  return {
    name: 'observability.scraping',
    everyMs,
    keepsLease: () => parts.lease.isHeld,
    async run({ signal: tenure }) {
      // A server that gets a lease again does not know what the targets had meanwhile.
      if (!parts.lease.isHeld || current?.tenure !== tenure) {
        current?.schedule.stop()
        current = undefined
      }
      if (!parts.lease.isHeld) return
      current ??= { schedule: new ScrapeSchedule(parts, tenure), tenure }
      await current.schedule.load()
    },
  }
}

/** The targets that a server scrapes while it has the lease. */
export class ScrapeSchedule {
  readonly #parts: ScrapingParts
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #payloads: SecretPayloads
  readonly #work = new BoundedWork(maxTotal)
  /** The scraped targets, keyed by the config and all that the labels of their series follow from. */
  readonly #targets = new Map<string, Scraped>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: ScrapingParts, tenure: AbortSignal) {
    this.#parts = parts
    this.#payloads = new SecretPayloads(parts)
    this.#signal = AbortSignal.any([tenure, this.#stopping.signal])
    this.#signal.addEventListener('abort', () => this.#rest(), { once: true })
  }

  /** Ends all scrapes; the series of the targets go on at the server that scrapes next. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Resolves once all scrapes that run now have ended. */
  settled(): Promise<void> {
    return this.#work.settled()
  }

  /** Reads the enabled configs of active workspaces, begins to scrape new targets, and ends the series of other ones. */
  async load(): Promise<void> {
    const wanted = await this.#wanted()
    if (this.#signal.aborted) return
    for (const [key, scraped] of this.#targets) if (!wanted.has(key)) await this.#end(key, scraped)
    for (const [key, { config, target }] of wanted) {
      const known = this.#targets.get(key)
      const isSame = known?.config.prometheus_scrape?.scrape_interval === config.prometheus_scrape?.scrape_interval
      const next = isSame && known ? known.next : firstTick(key, config, this.#parts.clock.now())
      if (known) Object.assign(known, { config, next })
      else this.#targets.set(key, { config, target, scraper: new TargetScraper(), next })
    }
    this.#parts.scrapeCounts.targets = this.#targets.size
    if (this.#targets.size === 0) return this.#rest()
    this.#timer ??= setInterval(() => this.scrapeDue(), dueMs).unref()
  }

  /** Starts the scrapes whose tick has come. */
  scrapeDue(): void {
    const now = this.#parts.clock.now()
    for (const [key, scraped] of this.#targets) {
      if (scraped.next > now) continue
      const { config, next } = scraped
      const group = { name: config.workspace_id, limit: maxPerWorkspace }
      const time = now - next > lateMs ? now : next
      // A target without room waits for the next look; ticks that pass meanwhile are left out.
      if (this.#work.start(key, [group], () => this.#scrape(key, scraped, time)))
        scraped.next = firstTick(key, config, now)
    }
  }

  #rest(): void {
    if (this.#signal.aborted) this.#parts.scrapeCounts.targets = 0
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Returns the targets to scrape. Configs of a workspace that is not ACTIVE are left out (observability.md 4.12). */
  async #wanted(): Promise<ReadonlyMap<string, Pick<Scraped, 'config' | 'target'>>> {
    const { store, taxonomy } = this.#parts
    const wanted = new Map<string, Pick<Scraped, 'config' | 'target'>>()
    const active = new Map<string, boolean>()
    for await (const { value: config } of store.each(ingestionConfigCollection, {
      kind: 'prometheus_scrape',
      enabled: true,
    })) {
      const { workspace_id: workspace } = config
      const isActive =
        active.get(workspace) ?? (await taxonomy.effectiveState(store, workspaceScope(workspace)))?.state === 'ACTIVE'
      active.set(workspace, isActive)
      if (!isActive) continue
      for (const target of config.prometheus_scrape?.targets ?? [])
        wanted.set(JSON.stringify([config.id, target.url, targetLabels(config, target)]), { config, target })
    }
    return wanted
  }

  async #scrape(key: string, scraped: Scraped, time: number): Promise<void> {
    const { config, scraper, target } = scraped
    const { clock, failed, outbound, scrapeCounts, statuses } = this.#parts
    const begun = performance.now()
    const { prometheus_scrape: rules } = config
    if (!rules) return
    const scrape = {
      outbound,
      url: target.url,
      labels: targetLabels(config, target),
      rules,
      time,
      signal: this.#signal,
    }
    const authorization = () => this.#payloads.of(config, secretOf(config), 'authorization_secret_id')
    const { samples, rejections, status } = await scraper.scrape({
      ...scrape,
      authorization,
      room: this.#room(config, scraper),
    })
    if (this.#signal.aborted) return
    try {
      const result = await this.#write(config, samples)
      const all = { ...rejections }
      for (const [reason, count] of Object.entries(result.rejections)) all[reason] = (all[reason] ?? 0) + count
      statuses.received(config.id, { accepted: result.accepted, rejections: all }, clock.now())
      scrapeCounts.scraped(status.up ? 'up' : 'down', result.accepted, performance.now() - begun)
    } catch (error) {
      scrapeCounts.scraped('not_written', 0, performance.now() - begun)
      if (!this.#signal.aborted) failed(error, `observability.ingestionConfigs ${config.id}`)
    }
    // A target that has left the schedule during its scrape was ended before these samples.
    if (!this.#targets.has(key)) await this.#writeEnd(scraped)
    // A status is told once the samples of its scrape can be queried.
    statuses.scraped(config.id, status)
  }

  /** Ends the series of a target that is scraped no more. */
  async #end(key: string, scraped: Scraped): Promise<void> {
    this.#targets.delete(key)
    await this.#writeEnd(scraped)
  }

  /** Writes the end of the series of the last scrape of a target. */
  async #writeEnd({ config, scraper }: Scraped): Promise<void> {
    const series = scraper.end(this.#parts.clock.now())
    if (series === undefined) return
    await this.#write(config, { series, metadata: [] }).catch((error: unknown) =>
      this.#parts.failed(error, `observability.ingestionConfigs ${config.id}`),
    )
  }

  /** Writes the samples of a scrape, what the scrape says about the target last; returns what was taken and refused. */
  async #write(
    { workspace_id: workspace }: StoredIngestionConfig,
    { metadata, series }: DescribedSeries,
  ): Promise<Received> {
    const { limits, metrics, retentions } = this.#parts
    const activeSeries = effectiveLimit(limits, workspace, 'activeSeries')
    const retentionMs = await retentions.of(workspace, 'OBSERVABILITY_SIGNAL_METRICS')
    const rejections: Record<string, number> = {}
    let accepted = 0
    for (let at = 0; at < series.length; at += writtenSeries) {
      const part = { series: series.slice(at, at + writtenSeries), metadata: at === 0 ? metadata : [] }
      const result = await metrics.write(workspace, batchOf(part), { activeSeries, retentionMs })
      accepted += result.accepted
      for (const [reason, count] of Object.entries(result.rejections))
        rejections[reason] = (rejections[reason] ?? 0) + count
    }
    return { accepted, rejections }
  }

  /** Returns the number of series that a target may have beside the other targets of its workspace; -1 for no limit. */
  #room({ workspace_id: workspace }: StoredIngestionConfig, scraper: TargetScraper): number {
    const limit = effectiveLimit(this.#parts.limits, workspace, 'activeSeries')
    if (limit < 0) return limit
    let others = 0
    for (const other of this.#targets.values())
      if (other.scraper !== scraper && other.config.workspace_id === workspace) others += other.scraper.size
    return Math.max(0, limit - others)
  }
}

/** Returns the first tick of a target after a time. */
function firstTick(key: string, { prometheus_scrape: scrape }: StoredIngestionConfig, now: number): number {
  const intervalMs = durationMs(scrape?.scrape_interval ?? '')
  return tickAfter(now, intervalMs, offsetOf(key, intervalMs))
}
