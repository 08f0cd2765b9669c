import type { LogBatch } from '../../../../../domain/observability/logs/log-batch.ts'
import type { LogLimits, LogWriteResult } from '../../../../../domain/observability/logs/log-engine.ts'
import { dayOf, SignalPlaces } from '../../files/places.ts'
import { FileFault } from '../../files/telemetry-file.ts'
import { OpenWorkspaces, type Settle } from '../../writing/open-workspaces.ts'
import { isLogCompactionDue, LogCompaction } from './log-compaction.ts'
import { WorkspaceLogs } from './workspace-logs.ts'

type Written = Omit<LogWriteResult, 'lastNumber'>

/** Writes the logs of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class LogWriter {
  readonly #open: OpenWorkspaces<LogBatch, LogLimits, Written, WorkspaceLogs, SignalPlaces>
  readonly #report: (fault: FileFault) => void
  #compaction: { readonly workspace: string; readonly compaction: LogCompaction } | undefined
  /** The workspaces whose files are purged step by step, and are not compacted meanwhile. */
  readonly #purged = new Set<string>()

  constructor(root: string, report: (fault: FileFault) => void) {
    this.#report = report
    this.#open = new OpenWorkspaces({
      root,
      placesOf: workspace => new SignalPlaces(root, workspace, 'logs'),
      open: places => new WorkspaceLogs(places, report),
      closed: workspace => this.#endCompaction(workspace),
    })
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: LogBatch, limits: LogLimits, now: number, settle: Settle<LogWriteResult>): void {
    this.#open.write(workspace, batch, limits, now, {
      resolve: result => settle.resolve({ ...result, lastNumber: this.#open.get(workspace)?.lastNumber ?? 0 }),
      reject: error => settle.reject(error),
    })
  }

  /** Writes what waits to the disk, and settles the writes. */
  commit(): void {
    this.#open.commit()
  }

  /** Returns the number of streams of a workspace, and the ingest number of its last entry. */
  facts(workspace: string, now: number): { readonly streams: number; readonly lastNumber: number } {
    const logs = this.settled(workspace, now)
    return { streams: logs?.streamCount ?? 0, lastNumber: logs?.lastNumber ?? 0 }
  }

  /** Does a step of the work that keeps the files small; returns whether more is due. Everything must be committed. */
  tidy(now: number): boolean {
    if (this.#compaction === undefined) {
      this.#closeIdle(now)
      this.#compaction = this.#nextCompaction(now)
      return this.#compaction !== undefined
    }
    const { compaction, workspace } = this.#compaction
    try {
      if (this.#open.get(workspace) && !compaction.step()) return true
    } catch (error) {
      this.#open.abandon(workspace, error)
    }
    this.#compaction = undefined
    return true
  }

  /** Returns the logs of a workspace, for which nothing waits; undefined if the workspace has none. */
  settled(workspace: string, now: number): WorkspaceLogs | undefined {
    this.commit()
    return this.#open.existing(workspace, now)
  }

  /** Keeps a workspace from being compacted and closed until the returned function is called. */
  holdForPurge(workspace: string): () => void {
    this.#endCompaction(workspace)
    this.#purged.add(workspace)
    return () => this.#purged.delete(workspace)
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
    const isPurged = (workspace: string): boolean => this.#purged.has(workspace)
    for (const [workspace, { days }] of this.#open) if (!isPurged(workspace)) days.closeIdle(dayOf(now))
    this.#open.closeIdle(now, isPurged)
  }

  #nextCompaction(now: number): { workspace: string; compaction: LogCompaction } | undefined {
    for (const [workspace, { days }] of this.#open) {
      if (this.#purged.has(workspace)) continue
      try {
        for (const file of days.values())
          if (isLogCompactionDue(file, now)) return { workspace, compaction: new LogCompaction(file, this.#report) }
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        this.#report(error)
        this.#open.abandon(workspace, error)
      }
    }
    return undefined
  }
}
