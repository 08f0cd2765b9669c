import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
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

/** Makes the exports of a sink that was changed begin their attempts anew, at once. */
export async function retryExports(tx: Transaction, { id: sink_id }: StoredLogSink, nowMs: number): Promise<void> {
  const ids: string[] = []
  for await (const { id } of tx.each(sinkExportCollection, { sink_id })) ids.push(id)
  for (const id of ids) {
    const stored = await tx.lock(sinkExportCollection, id)
    if (!stored) continue
    const { failing_since: _since, ...rest } = stored.value
    await tx.update(sinkExportCollection, id, { ...rest, ...noAttempts(nowMs) }, stored.version)
  }
}

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
