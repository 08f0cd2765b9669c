import type { IngestionStats, ScrapeTargetStatus } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Store, Transaction } from '../../ports/store.ts'
import type { Rejections } from '../metrics/samples.ts'
import { ingestionConfigCollection } from './ingestion-configs-store.ts'
import { ingestionStatusCollection, noStats, type StoredIngestionStatus } from './ingestion-status-store.ts'

/** The time between a change and its storing, in milliseconds: a crash loses at most the last 5 seconds. */
const delayMs = 4000

/** What came in at one time: the number of taken samples, entries and spans, and the refused ones by reason. */
export interface Received {
  readonly accepted: number
  readonly rejections: Rejections
}

/** The changes to the status of an ingestion config that this server has not stored yet. */
interface Pending {
  accepted: number
  readonly rejections: Map<string, number>
  /** The time of the last arrival in milliseconds since 1970; 0 without one. */
  lastMs: number
  /** The last scrape of each target, keyed by its URL. */
  readonly targets: Map<string, ScrapeTargetStatus>
}

/** The parts of the statuses. */
interface StatusParts {
  readonly store: Store
  /** Logs a failure; the changes that it kept from the store are lost. */
  readonly failed: (error: unknown, subject: string) => void
}

/**
 * The statuses of ingestion configs: changes are kept in memory and stored together, as additions to the stored counts,
 * because several servers may receive for one config. Answers have the stored counts and the changes in memory.
 */
export class IngestionStatuses {
  readonly #parts: StatusParts
  #pending = new Map<string, Pending>()
  /** The changes that are being stored. */
  #leaving: ReadonlyMap<string, Pending> = new Map()
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> = Promise.resolve()

  constructor(parts: StatusParts) {
    this.#parts = parts
  }

  /** Counts what came in through a config at a time in milliseconds since 1970. */
  received(config: string, { accepted, rejections }: Received, now: number): void {
    const pending = this.#of(config)
    pending.accepted += accepted
    pending.lastMs = Math.max(pending.lastMs, now)
    for (const [reason, count] of Object.entries(rejections))
      pending.rejections.set(reason, (pending.rejections.get(reason) ?? 0) + count)
  }

  /** Replaces the status of a target. */
  scraped(config: string, status: ScrapeTargetStatus): void {
    this.#of(config).targets.set(status.url, status)
  }

  /** Returns the status of a config with the changes that are not stored yet. */
  async of(reader: Reader, config: string): Promise<Pick<StoredIngestionStatus, 'stats' | 'targets'>> {
    for (;;) {
      if (this.#leaving.has(config)) await this.#storing
      const pending = this.#pending.get(config)
      const stored = (await reader.get(ingestionStatusCollection, config))?.value
      // Changes that were stored while the row was read would be missing in the row, or counted twice.
      if (this.#pending.get(config) !== pending || this.#leaving.has(config)) continue
      const status = { stats: stored?.stats ?? noStats, targets: stored?.targets ?? [] }
      return pending ? added(status, pending) : status
    }
  }

  /** Stores all changes. Never rejects. */
  store(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#storing = this.#storeAfter(this.#storing)
    return this.#storing
  }

  #of(config: string): Pending {
    const known = this.#pending.get(config)
    if (known) return known
    const pending: Pending = { accepted: 0, rejections: new Map(), lastMs: 0, targets: new Map() }
    this.#pending.set(config, pending)
    this.#timer ??= setTimeout(() => void this.store(), delayMs).unref()
    return pending
  }

  async #storeAfter(before: Promise<void>): Promise<void> {
    await before
    this.#leaving = this.#pending
    this.#pending = new Map()
    for (const [config, pending] of this.#leaving) {
      try {
        await this.#parts.store.tx(tx => storeStatus(tx, config, pending))
      } catch (error) {
        this.#parts.failed(error, `observability.ingestionConfigs ${config}`)
      }
    }
    this.#leaving = new Map()
  }
}

/** Adds what came in to the row of a config that still exists. */
async function storeStatus(tx: Transaction, config: string, pending: Pending): Promise<void> {
  const owner = await tx.share(ingestionConfigCollection, config)
  if (!owner) return
  const stored = await tx.lock(ingestionStatusCollection, config)
  const { workspace_id } = owner.value
  const next = added(stored?.value ?? { id: config, workspace_id, stats: noStats, targets: [] }, pending)
  const urls = new Set(owner.value.prometheus_scrape?.targets.map(({ url }) => url))
  const row = { ...next, targets: next.targets.filter(({ url }) => urls.has(url)) }
  if (stored) await tx.update(ingestionStatusCollection, config, row, stored.version)
  else await tx.insert(ingestionStatusCollection, row)
}

function added<T extends Pick<StoredIngestionStatus, 'stats' | 'targets'>>(status: T, pending: Pending): T {
  const { stats, targets } = status
  const unchanged = targets.filter(({ url }) => !pending.targets.has(url))
  return { ...status, stats: addedStats(stats, pending), targets: [...unchanged, ...pending.targets.values()] }
}

function addedStats(stats: IngestionStats, { accepted, lastMs, rejections }: Pending): IngestionStats {
  const reasons = new Map(Object.entries(stats.rejected_reasons))
  for (const [reason, count] of rejections) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  const refused = [...rejections.values()].reduce((sum, count) => sum + count, 0)
  const last = Math.max(lastMs, stats.last_received_time === undefined ? 0 : Date.parse(stats.last_received_time))
  return {
    ...(last > 0 && { last_received_time: formatMillis(last) }),
    accepted: stats.accepted + accepted,
    rejected: stats.rejected + refused,
    rejected_reasons: Object.fromEntries(reasons),
  }
}
