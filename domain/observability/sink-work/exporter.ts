import type { Worker } from '../../ports/workers.ts'
import { BoundedWork } from '../alert-work/bounded-work.ts'
import { dueRows } from '../alerts/due-rows.ts'
import { logSinkKind } from '../sinks/log-sink-kind.ts'
import { sinkExportCollection } from '../sinks/sink-exports-store.ts'
import { SecretPayloads } from '../outbound/secret-payloads.ts'
import type { SinkParts } from './sink-parts.ts'
import { workOnExport, type KnownMeasure } from './work-on-sink.ts'

/** The time between two looks for due exports, in milliseconds. */
const everyMs = 1_000

/** The exports that are worked on at one time, in all and in one workspace: a slow destination delays no other workspace. */
const limits = { total: 32, perWorkspace: 4 }

/**
 * Returns the worker that exports what log sinks choose. Its lease makes one server the exporter of all workspaces: the
 * server that serves the logs of the native engine, as another server gives the lease up.
 */
export function sinkExporter(given: Omit<SinkParts, 'payloads'>): Worker {
  const parts: SinkParts = { ...given, payloads: new SecretPayloads(given) }
  const { clock, failed, lease, store } = parts
  const work = new BoundedWork(limits.total)
  let known = new Map<string, KnownMeasure>()
  let tenure: AbortSignal | undefined
  /**
   * The exports that were looked at since all exports of their workspace were, with the workspace: a run that finds no
   * room is followed by one that goes on with the others.
   */
  const looked = new Map<string, string>()
  return {
    name: 'observability.sinks',
    everyMs,
    keepsLease: () => lease.isHeld,
    async run(turn) {
      if (!(await lease.isServing())) return
      // Another server may have exported in between.
      if (turn.signal !== tenure) known = new Map()
      tenure = turn.signal
      const measures = known
      /** The workspaces with exports that have found no room. */
      const crowded = new Set<string>()
      for await (const { id, value } of dueRows(store, sinkExportCollection, clock.now())) {
        if (turn.signal.aborted || work.isFull) return
        if (looked.has(id)) continue
        const groups = [{ name: value.workspace_id, limit: limits.perWorkspace }]
        const isStarted = work.start(id, groups, async () => {
          try {
            const left = await workOnExport(parts, turn, id, measures.get(id))
            if (left) measures.set(id, left)
            else measures.delete(id)
          } catch (error) {
            measures.delete(id)
            if (!turn.signal.aborted) failed(error, `${logSinkKind.type} ${value.sink_id}`)
          }
        })
        if (isStarted) looked.set(id, value.workspace_id)
        else if (!work.has(id)) crowded.add(value.workspace_id)
      }
      for (const [id, workspace] of looked) if (!crowded.has(workspace)) looked.delete(id)
    },
  }
}
