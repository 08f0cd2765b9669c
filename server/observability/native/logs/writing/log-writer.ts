import { existsSync } from 'node:fs'
import type { LogBatch } from '../../../../../domain/observability/logs/log-batch.ts'
import type { LogLimits, LogWriteResult } from '../../../../../domain/observability/logs/log-engine.ts'
import { makeFolders } from '../../files/folders.ts'
import { dayOf, SignalPlaces } from '../../files/places.ts'
import type { FileFault } from '../../files/telemetry-file.ts'
import { isLogCompactionDue, LogCompaction } from './log-compaction.ts'
import { WorkspaceLogs } from './workspace-logs.ts'

/** The largest number of workspaces with open files. */
const mostOpen = 100

/** The time without use after which the files of a workspace are closed, in milliseconds. */
const idleMs = 600_000

/** Takes the outcome of a write. */
export interface Settle {
  resolve(result: LogWriteResult): void
  reject(error: unknown): void
}

/** A workspace with open files, and the writes that wait for its next commit. */
interface OpenLogs {
  readonly logs: WorkspaceLogs
  usedAt: number
  readonly waiting: { readonly result: Omit<LogWriteResult, 'lastNumber'>; readonly settle: Settle }[]
}

/** Writes the logs of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class LogWriter {
  readonly #root: string
  readonly #report: (fault: FileFault) => void
  readonly #open = new Map<string, OpenLogs>()
  #compaction: { readonly workspace: string; readonly compaction: LogCompaction } | undefined
  /** The workspaces whose files are purged step by step, and are not compacted meanwhile. */
  readonly #purged = new Set<string>()

  constructor(root: string, report: (fault: FileFault) => void) {
    this.#root = root
    this.#report = report
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: LogBatch, limits: LogLimits, now: number, settle: Settle): void {
    let open: OpenLogs
    try {
      open = this.#opened(workspace, now)
      open.logs.prepare(batch, limits, now)
    } catch (error) {
      return settle.reject(error)
    }
    try {
      open.waiting.push({ result: open.logs.write(batch, limits, now), settle })
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
        open.logs.commit()
      } catch (error) {
        this.#abandon(workspace, open, error)
        continue
      }
      const { lastNumber } = open.logs
      for (const { result, settle } of open.waiting.splice(0)) settle.resolve({ ...result, lastNumber })
    }
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
    const open = this.#open.get(workspace)
    try {
      if (open && !compaction.step()) return true
    } catch (error) {
      if (open) this.#abandon(workspace, open, error)
    }
    this.#compaction = undefined
    return true
  }

  /** Returns the logs of a workspace, for which nothing waits; undefined if the workspace has none. */
  settled(workspace: string, now: number): WorkspaceLogs | undefined {
    if (!existsSync(this.placesOf(workspace).index)) return undefined
    this.commit()
    return this.#opened(workspace, now).logs
  }

  /** Keeps a workspace from being compacted and closed until the returned function is called. */
  holdForPurge(workspace: string): () => void {
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    this.#purged.add(workspace)
    return () => this.#purged.delete(workspace)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.commit()
    const open = this.#open.get(workspace)
    if (open === undefined) return
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    this.#open.delete(workspace)
    open.logs.close()
  }

  releaseAll(): void {
    for (const workspace of this.#open.keys()) this.release(workspace)
  }

  placesOf(workspace: string): SignalPlaces {
    return new SignalPlaces(this.#root, workspace, 'logs')
  }

  #opened(workspace: string, now: number): OpenLogs {
    const known = this.#open.get(workspace)
    if (known !== undefined) {
      known.usedAt = now
      // The workspace that was used longest ago is the first.
      this.#open.delete(workspace)
      this.#open.set(workspace, known)
      return known
    }
    const places = this.placesOf(workspace)
    makeFolders(this.#root, places)
    const open = { logs: new WorkspaceLogs(places, this.#report), usedAt: now, waiting: [] }
    this.#open.set(workspace, open)
    return open
  }

  /** Ends the use of a workspace whose files may differ from what is in the memory, and rejects its writes. */
  #abandon(workspace: string, { logs, waiting }: OpenLogs, error: unknown): void {
    this.#open.delete(workspace)
    if (this.#compaction?.workspace === workspace) this.#compaction = undefined
    for (const { settle } of waiting.splice(0)) settle.reject(error)
    logs.close()
  }

  #closeIdle(now: number): void {
    for (const [workspace, { logs, usedAt }] of this.#open) {
      if (this.#purged.has(workspace)) continue
      logs.days.closeIdle(dayOf(now))
      if (now - usedAt > idleMs || this.#open.size > mostOpen) this.release(workspace)
    }
  }

  #nextCompaction(now: number): { workspace: string; compaction: LogCompaction } | undefined {
    for (const [workspace, { logs }] of this.#open) {
      if (this.#purged.has(workspace)) continue
      for (const file of logs.days.values())
        if (isLogCompactionDue(file, now)) return { workspace, compaction: new LogCompaction(file) }
    }
    return undefined
  }
}
