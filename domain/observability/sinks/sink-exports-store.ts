import type { SinkSource } from '../../../output/observability/types.ts'
import { sharedWhere, type Collection, type Reader, type Transaction, type Where } from '../../ports/store.ts'
import { dueList } from '../alerts/due-rows.ts'
import type { SinkRules } from './sink-filter.ts'

/** Entries that are exported together. A batch is stored before it is written, so that a repetition writes the same. */
export interface SinkBatch {
  /** The numbers of the first and of the last entry. */
  readonly first: number
  readonly last: number
  /** The number up to which all entries were looked at; the next batch begins after it. */
  readonly position: number
  /** When the first entry came in. */
  readonly first_time: string
  /** The rules that have chosen the entries; absent in a batch of an older version, which the rules of the sink choose. */
  readonly rules?: SinkRules
}

/** The export of one source of a log sink: how far it is, and how the last attempts ended. */
export interface SinkExport {
  /** The id of the sink, a slash, and the source. */
  readonly id: string
  readonly sink_id: string
  readonly workspace_id: string
  readonly source: SinkSource
  /** The number up to which all entries have left or do not fit the sink; absent until the export has begun. */
  readonly position?: number
  /** The batch that is being written; absent if there is none. */
  readonly batch?: SinkBatch
  /** When the oldest entry that is to be exported came in; absent if there is none. */
  readonly oldest_time?: string
  /** The time of the next attempt. */
  readonly next_time: string
  /** The number of failed attempts since the last success. */
  readonly attempts: number
  /** The time of the first of these attempts. */
  readonly failing_since?: string
  /** Whether the destination has failed for so long that the sink is in ERROR. */
  readonly is_in_error: boolean
  readonly last_error: string
  readonly last_export_time?: string
  readonly exported_entries: number
}

/** The secret of the webhook of a sink, encrypted by the vault. */
export interface SinkSecret {
  /** The id of the sink. */
  readonly id: string
  readonly workspace_id: string
  readonly wrapped: string
}

/** The exports of all sinks. The export of a source that a sink no longer has keeps its place. */
export const sinkExportCollection: Collection<SinkExport> = {
  name: 'observability_sink_exports',
  id: 'id',
  list: dueList,
  columns: { workspace_id: 'STRING', sink_id: 'STRING' },
  indexes: [['sink_id'], ['workspace_id']],
}

/** The secrets of webhooks. */
export const sinkSecretCollection: Collection<SinkSecret> = {
  name: 'observability_sink_secrets',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}

/** Returns the id of the export of a source. */
export const exportId = (sink: string, source: SinkSource): string => `${sink}/${source}`

/** Returns the exports of a sink, in the order of their ids. */
export async function exportsOf(reader: Reader, sink: string): Promise<readonly SinkExport[]> {
  const rows: SinkExport[] = []
  for await (const { value } of reader.each(sinkExportCollection, { sink_id: sink })) rows.push(value)
  return rows
}

/** Deletes the exports and the secret of a sink, in the transaction that deletes the sink. */
export async function dropExports(tx: Transaction, sink: string): Promise<void> {
  await dropRows(tx, sinkExportCollection, { sink_id: sink })
  await dropRows(tx, sinkSecretCollection, { id: sink })
}

/** Deletes the exports and the secrets of the sinks of a purged workspace. */
export async function purgeExports(tx: Transaction, workspace: string): Promise<void> {
  const where = { workspace_id: workspace } as const
  await dropRows(tx, sinkExportCollection, where)
  await dropRows(tx, sinkSecretCollection, where)
}

async function dropRows<T>(tx: Transaction, collection: Collection<T>, where: Where): Promise<void> {
  const rows: { readonly id: string; readonly version: number }[] = []
  for await (const { id, version } of tx.each(collection, sharedWhere(collection, where))) rows.push({ id, version })
  for (const { id, version } of rows) await tx.delete(collection, id, version)
}
