import type { WriteLimits, WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import { engineUnavailable } from '../../../../output/shared/errors.ts'
import { dayOf, MetricPlaces } from '../files/places.ts'
import type { FileFault } from '../files/telemetry-file.ts'
import { compactPresent } from './compaction.ts'
import { isDue } from './compaction-rules.ts'
import { OpenWorkspaces, type Settle } from './open-workspaces.ts'
import { WorkspaceWriter } from './workspace-writer.ts'

/** The compaction of a file of a workspace. */
interface RunningCompaction {
  readonly workspace: string
  readonly steps: Generator<void>
}

/** Writes the metrics of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class MetricWriter {
  readonly #open: OpenWorkspaces<MetricBatch, WriteLimits, WriteResult, WorkspaceWriter, MetricPlaces>
  #compaction: RunningCompaction | undefined
  /** The workspaces whose files other work changes in steps. */
  readonly #held = new Set<string>()

  constructor(root: string, report: (fault: FileFault) => void) {
    this.#open = new OpenWorkspaces({
      root,
      placesOf: workspace => new MetricPlaces(root, workspace),
      open: (places, now) => new WorkspaceWriter(places, now, report),
      closed: workspace => this.#endCompaction(workspace),
    })
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: MetricBatch, limits: WriteLimits, now: number, settle: Settle<WriteResult>): void {
    this.#open.write(workspace, batch, limits, now, settle)
  }

  /** Writes what waits to the disk, and settles the writes. */
  commit(): void {
    this.#open.commit()
  }

  /** Returns the number of series with a sample in the last hour. */
  activeSeries(workspace: string, now: number): number {
    return this.#open.existing(workspace, now)?.activeSeries(now) ?? 0
  }

  /** Does a step of the work that keeps the files small; returns whether more is due. Everything must be committed. */
  tidy(now: number): boolean {
    if (this.#compaction === undefined) {
      this.#closeIdle(now)
      this.#compaction = this.#nextCompaction(now)
      return this.#compaction !== undefined
    }
    const { steps, workspace } = this.#compaction
    const writer = this.#open.get(workspace)
    try {
      if (writer && !steps.next().done) return true
      writer?.forgetInactive(now)
    } catch (error) {
      if (this.#open.get(workspace) === writer) this.#open.abandon(workspace, error)
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
    this.commit()
    const writer = this.#open.existing(workspace, now)
    if (writer === undefined) return undefined
    this.#held.add(workspace)
    this.#endCompaction(workspace)
    return writer
  }

  letGo(workspace: string): void {
    this.#held.delete(workspace)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.#open.release(workspace)
  }

  releaseAll(): void {
    this.#open.releaseAll()
  }

  #endCompaction(workspace: string): void {
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
  }

  #closeIdle(now: number): void {
    const isHeld = (workspace: string): boolean => this.#held.has(workspace)
    for (const [workspace, { days }] of this.#open) if (!isHeld(workspace)) days.closeIdle(dayOf(now))
    this.#open.closeIdle(now, isHeld)
  }

  #nextCompaction(now: number): RunningCompaction | undefined {
    for (const [workspace, writer] of this.#open) {
      if (this.#held.has(workspace)) continue
      const file = [...writer.days.withParts()].find(each => isDue(each, now))
      if (file) return { workspace, steps: compactPresent(file, () => writer.storingTimes(() => this.commit())) }
    }
    return undefined
  }
}

const busy = () => engineUnavailable('the metrics of the workspace are being purged', { retryAfterSeconds: 60 })
