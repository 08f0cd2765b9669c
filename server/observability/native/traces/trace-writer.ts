import type { WriteResult } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { SpanBatch, SpanLimits } from '../../../../domain/observability/traces/trace-engine.ts'
import { SignalPlaces } from '../files/places.ts'
import { OpenWorkspaces, type Settle } from '../writing/open-workspaces.ts'
import { WorkspaceTraces } from './workspace-traces.ts'

/** Writes the traces of all workspaces below a folder. All calls are synchronous; the caller decides when to commit. */
export class TraceWriter {
  readonly #open: OpenWorkspaces<SpanBatch, SpanLimits, WriteResult, WorkspaceTraces, SignalPlaces>

  constructor(root: string) {
    this.#open = new OpenWorkspaces({
      root,
      placesOf: workspace => new SignalPlaces(root, workspace, 'traces'),
      open: places => new WorkspaceTraces(places),
    })
  }

  /** Takes a write, which is settled by the next `commit`; a write that cannot be taken is settled at once. */
  write(workspace: string, batch: SpanBatch, limits: SpanLimits, now: number, settle: Settle<WriteResult>): void {
    this.#open.write(workspace, batch, limits, now, settle)
  }

  /** Writes what waits to the disk, and settles the writes. */
  commit(): void {
    this.#open.commit()
  }

  /** Returns the traces of a workspace, for which nothing waits; undefined if the workspace has no traces. */
  settled(workspace: string, now: number): WorkspaceTraces | undefined {
    this.commit()
    return this.#open.existing(workspace, now)
  }

  /** Closes the files of workspaces that were not used lately. Everything must be committed. */
  closeIdle(now: number): void {
    this.#open.closeIdle(now)
  }

  /** Closes the files of a workspace; what waits is committed. */
  release(workspace: string): void {
    this.#open.release(workspace)
  }

  releaseAll(): void {
    this.#open.releaseAll()
  }
}
