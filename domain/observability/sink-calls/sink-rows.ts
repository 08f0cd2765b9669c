import type { LogDestination } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { destinationKinds } from '../sinks/destination.ts'
import type { StoredLogSink } from '../sinks/log-sinks-store.ts'
import { exportId, sinkExportCollection, sinkSecretCollection, type SinkExport } from '../sinks/sink-exports-store.ts'

/** Inserts the exports that a sink lacks; `nowMs` is the time of the call in milliseconds since 1970. */
export async function beginExports(
  tx: Transaction,
  { id: sink_id, sources, workspace_id }: StoredLogSink,
  nowMs: number,
): Promise<void> {
  for (const source of sources) {
    const id = exportId(sink_id, source)
    if (await tx.get(sinkExportCollection, id)) continue
    await tx.insert(sinkExportCollection, {
      id,
      sink_id,
      workspace_id,
      source,
      ...noAttempts(nowMs),
      exported_entries: 0,
    })
  }
}

/**
 * Makes the exports of a sink that was changed begin their attempts anew, at once. A batch for another kind of destination
 * is given up, because its size follows from the destination; its entries come with the next batch.
 */
export async function retryExports(
  tx: Transaction,
  { destination, id: sink_id }: StoredLogSink,
  before: StoredLogSink,
  nowMs: number,
): Promise<void> {
  const isMoved = kindOf(destination) !== kindOf(before.destination)
  const ids: string[] = []
  for await (const { id } of tx.each(sinkExportCollection, { sink_id })) ids.push(id)
  for (const id of ids) {
    const stored = await tx.lock(sinkExportCollection, id)
    if (!stored) continue
    const { batch, failing_since: _since, ...rest } = stored.value
    const kept = { ...rest, ...(batch && !isMoved && { batch }) }
    await tx.update(sinkExportCollection, id, { ...kept, ...noAttempts(nowMs) }, stored.version)
  }
}

const kindOf = (destination: LogDestination) => destinationKinds.find(kind => destination[kind] !== undefined)

const noAttempts = (nowMs: number): Pick<SinkExport, 'attempts' | 'is_in_error' | 'last_error' | 'next_time'> => ({
  next_time: formatMillis(nowMs),
  attempts: 0,
  is_in_error: false,
  last_error: '',
})

/** Stores the secret of the webhook of a sink; deletes the secret of a sink without a webhook. */
export async function storeSecret(
  tx: Transaction,
  { destination, id, workspace_id }: StoredLogSink,
  wrapped: string | undefined,
): Promise<void> {
  const stored = await tx.get(sinkSecretCollection, id)
  const isOver = destination.webhook === undefined
  if (stored && (wrapped !== undefined || isOver)) await tx.delete(sinkSecretCollection, id, stored.version)
  if (wrapped !== undefined && !isOver) await tx.insert(sinkSecretCollection, { id, workspace_id, wrapped })
}
