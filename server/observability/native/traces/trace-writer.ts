import { existsSync } from 'node:fs'
import type { WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { SpanBatch, SpanLimits } from '../../../../domain/observability/traces/trace-engine.ts'
import { makeFolders } from '../files/folders.ts'
import { SignalPlaces } from '../files/places.ts'
import { WorkspaceTraces } from './workspace-traces.ts'

/** The largest number of workspaces with open files. */
const mostOpen = 100

/** The time without writes after which the files of a workspace are closed, in milliseconds. */
const idleMs = 600_000

/** Takes the outcome of a write. */
export interface Settle {
  resolve(result: WriteResult): void
  reject(error: unknown): void
}

/** A workspace with open files. */
interface OpenWorkspace {
  readonly traces: WorkspaceTraces
  /** The time of the last write. */
  usedAt: number
  /** The writes that wait for the commit. */
  readonly waiting: { readonly result: WriteResult; readonly settle: Settle }[]
}

/** Writes the traces of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class TraceWriter {
  readonly #root: string
  readonly #open = new Map<string, OpenWorkspace>()

  constructor(root: string) {
    this.#root = root
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: SpanBatch, limits: SpanLimits, now: number, settle: Settle): void {
    let open: OpenWorkspace
    try {
      open = this.#opened(workspace, now)
      open.traces.prepare(batch, limits, now)
    } catch (error) {
      return settle.reject(error)
    }
    open.usedAt = now
    try {
      open.waiting.push({ result: open.traces.write(batch, limits, now), settle })
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
        open.traces.commit()
      } catch (error) {
        this.#abandon(workspace, open, error)
        continue
      }
      for (const { result, settle } of open.waiting.splice(0)) settle.resolve(result)
    }
  }

  /** Returns the traces of a workspace, for which nothing waits; undefined if the workspace has no traces. */
  settled(workspace: string, now: number): WorkspaceTraces | undefined {
    if (!existsSync(this.placesOf(workspace).index)) return undefined
    this.commit()
    return this.#opened(workspace, now).traces
  }

  /** Closes the files of workspaces that were not used lately. Everything must be committed. */
  closeIdle(now: number): void {
    for (const [workspace, { usedAt }] of this.#open)
      if (now - usedAt > idleMs || this.#open.size > mostOpen) this.release(workspace)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.commit()
    const open = this.#open.get(workspace)
    this.#open.delete(workspace)
    open?.traces.close()
  }

  releaseAll(): void {
    for (const workspace of this.#open.keys()) this.release(workspace)
  }

  placesOf(workspace: string): SignalPlaces {
    return new SignalPlaces(this.#root, workspace, 'traces')
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
    const open = { traces: new WorkspaceTraces(places), usedAt: now, waiting: [] }
    this.#open.set(workspace, open)
    return open
  }

  /** Ends the use of a workspace whose files may differ from what its writer knows, and rejects its writes. */
  #abandon(workspace: string, { traces, waiting }: OpenWorkspace, error: unknown): void {
    this.#open.delete(workspace)
    for (const { settle } of waiting.splice(0)) settle.reject(error)
    traces.close()
  }
}
