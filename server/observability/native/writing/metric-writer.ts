import type { WriteLimits, WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import { existsSync } from 'node:fs'
import { engineUnavailable } from '../../../../output/shared/errors.ts'
import { makeFolders } from '../files/folders.ts'
import { dayOf, MetricPlaces } from '../files/places.ts'
import type { FileFault } from '../files/telemetry-file.ts'
import { compactPresent } from './compaction.ts'
import { isDue } from './compaction-rules.ts'
import { WorkspaceWriter } from './workspace-writer.ts'

/** The largest number of workspaces with open files. */
const mostOpen = 100

/** The time without writes after which the files of a workspace are closed, in milliseconds. */
const idleMs = 600_000

/** A workspace with open files. */
interface OpenWorkspace {
  readonly writer: WorkspaceWriter
  /** The time of the last write. */
  usedAt: number
  /** The writes that wait for the commit. */
  readonly waiting: Waiting[]
}

/** The compaction of a file of a workspace. */
interface RunningCompaction {
  readonly workspace: string
  readonly steps: Generator<void>
}

/** A write whose samples are not on the disk yet. */
interface Waiting {
  readonly result: WriteResult
  readonly settle: Settle
}

/** Takes the outcome of a write. */
export interface Settle {
  resolve(result: WriteResult): void
  reject(error: unknown): void
}

/** Writes the metrics of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class MetricWriter {
  readonly #root: string
  readonly #report: (fault: FileFault) => void
  readonly #open = new Map<string, OpenWorkspace>()
  #compaction: RunningCompaction | undefined
  /** The workspaces whose files other work changes in steps. */
  readonly #held = new Set<string>()

  constructor(root: string, report: (fault: FileFault) => void) {
    this.#root = root
    this.#report = report
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: MetricBatch, limits: WriteLimits, now: number, settle: Settle): void {
    let open: OpenWorkspace
    try {
      open = this.#opened(workspace, now)
      open.writer.prepare(batch, limits, now)
    } catch (error) {
      return settle.reject(error)
    }
    open.usedAt = now
    try {
      open.waiting.push({ result: open.writer.write(batch, limits, now), settle })
    } catch (error) {
      settle.reject(error)
      this.#abandon(workspace, open, error)
    }
  }

  /** Writes what waits to the disk, and settles the writes. */
  commit(): void {
    for (const [workspace, open] of this.#open) {
      if (open.waiting.length === 0) continue
      try {
        open.writer.commit(open.usedAt)
      } catch (error) {
        this.#abandon(workspace, open, error)
        continue
      }
      for (const { result, settle } of open.waiting.splice(0)) settle.resolve(result)
    }
  }

  /** Returns the number of series with a sample in the last hour. */
  activeSeries(workspace: string, now: number): number {
    return existsSync(this.placesOf(workspace).index) ? this.#opened(workspace, now).writer.activeSeries(now) : 0
  }

  /** Does a step of the work that keeps the files small; returns whether more is due. Everything must be committed. */
  tidy(now: number): boolean {
    if (this.#compaction === undefined) {
      this.#closeIdle(now)
      this.#compaction = this.#nextCompaction(now)
      return this.#compaction !== undefined
    }
    const { steps, workspace } = this.#compaction
    const open = this.#open.get(workspace)
    try {
      if (open && !steps.next().done) return true
      open?.writer.forgetInactive(now)
    } catch (error) {
      if (open && this.#open.get(workspace) === open) this.#abandon(workspace, open, error)
    }
    this.#compaction = undefined
    return true
  }

  /**
   * Returns the writer of a workspace for work in steps: until `letGo`, the files are not closed and not compacted, but
   * writes go on between the steps. Undefined if the workspace has no metrics. Throws ENGINE_UNAVAILABLE for a workspace
   * that is held.
   */
  hold(workspace: string, now: number): WorkspaceWriter | undefined {
    if (this.#held.has(workspace)) throw busy()
    if (!existsSync(this.placesOf(workspace).index)) return undefined
    this.commit()
    const { writer } = this.#opened(workspace, now)
    this.#held.add(workspace)
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    return writer
  }

  letGo(workspace: string): void {
    this.#held.delete(workspace)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.commit()
    const open = this.#open.get(workspace)
    if (open === undefined) return
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    this.#open.delete(workspace)
    open.writer.close()
  }

  releaseAll(): void {
    for (const workspace of this.#open.keys()) this.release(workspace)
  }

  placesOf(workspace: string): MetricPlaces {
    return new MetricPlaces(this.#root, workspace)
  }

  #opened(workspace: string, now: number): OpenWorkspace {
    const known = this.#open.get(workspace)
    if (known !== undefined) {
      // The workspace that was used longest ago is the first.
      this.#open.delete(workspace)
      this.#open.set(workspace, known)
      return known
    }
    const places = this.placesOf(workspace)
    makeFolders(this.#root, places)
    const open = { writer: new WorkspaceWriter(places, now, this.#report), usedAt: now, waiting: [] }
    this.#open.set(workspace, open)
    return open
  }

  /** Ends the use of a workspace whose files may differ from what its writer knows, and rejects its writes. */
  #abandon(workspace: string, { waiting, writer }: OpenWorkspace, error: unknown): void {
    this.#open.delete(workspace)
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    for (const { settle } of waiting.splice(0)) settle.reject(error)
    writer.close()
  }

  #closeIdle(now: number): void {
    for (const [workspace, { usedAt, writer }] of this.#open) {
      if (this.#held.has(workspace)) continue
      writer.days.closeIdle(dayOf(now))
      if (now - usedAt > idleMs || this.#open.size > mostOpen) this.release(workspace)
    }
  }

  #nextCompaction(now: number): RunningCompaction | undefined {
    for (const [workspace, { writer }] of this.#open) {
      if (this.#held.has(workspace)) continue
      const file = [...writer.days.withParts()].find(each => isDue(each, now))
      if (file) return { workspace, steps: compactPresent(file, () => writer.storingTimes(() => this.commit())) }
    }
    return undefined
  }
}

const busy = () => engineUnavailable('the metrics of the workspace are being purged', { retryAfterSeconds: 60 })
