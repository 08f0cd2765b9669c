import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { references } from '../../resources/references.ts'
import { bucketOf, destinationKinds, headersSecretOf } from './destination.ts'
import { logSinkKind } from './log-sink-kind.ts'
import { logSinkCollection, type StoredLogSink } from './log-sinks-store.ts'
import {
  exportId,
  exportsOf,
  sinkExportCollection,
  sinkSecretCollection,
  type SinkExport,
} from './sink-exports-store.ts'
import { sinkState } from './sink-state.ts'

const { type: resourceType } = logSinkKind

/**
 * Yields the sinks whose state contradicts their exports, that lack an export, a reference or a destination, or hold what
 * they do not use, and the exports and secrets that belong to no sink of their workspace. A secret without a reference is
 * no fault: a secret that has expired is deleted with the references to it.
 */
export async function* inspectSinks(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(logSinkCollection)) {
    const exports = await exportsOf(reader, id)
    for (const message of [...sinkFaults(value, exports), ...(await referenceFaults(reader, value))])
      yield { resourceType, id, message }
  }
  for await (const { id: row, value } of reader.each(sinkExportCollection)) {
    const { batch, position = 0, sink_id: id, source, workspace_id } = value
    if (!(await reader.exists(logSinkCollection, { id, workspace_id })))
      yield { resourceType, id, message: `has an export in workspace ${workspace_id}, which has no such sink` }
    if (row !== exportId(id, source))
      yield { resourceType, id, message: `has the row ${row} for the export of ${source}` }
    if (batch && !(position < batch.first && batch.first <= batch.last && batch.last <= batch.position))
      yield { resourceType, id, message: `has a batch of ${source} that does not follow the position ${position}` }
  }
  for await (const { id, value } of reader.each(sinkSecretCollection)) {
    const sink = (await reader.get(logSinkCollection, id))?.value
    if (sink?.workspace_id !== value.workspace_id || sink.destination.webhook === undefined)
      yield { resourceType, id, message: 'has the secret of a webhook, but no webhook in the workspace of the secret' }
  }
}

function sinkFaults(sink: StoredLogSink, exports: readonly SinkExport[]): readonly string[] {
  const { destination, sources, state } = sink
  const expected = sinkState(sink, exports)
  const kinds = destinationKinds.filter(kind => destination[kind] !== undefined)
  const missing = sources.filter(source => !exports.some(each => each.source === source))
  return [
    ...(state === expected ? [] : [`is ${state}, but its exports make it ${expected}`]),
    ...(kinds.length === 1 ? [] : [`has ${kinds.join(', ') || 'nothing'} as its destination`]),
    ...missing.map(source => `has no export of ${source}`),
  ]
}

async function referenceFaults(reader: Reader, { destination, id }: StoredLogSink): Promise<readonly string[]> {
  const held = new Set<string>()
  for await (const { value } of reader.each(references, { holder_type: resourceType, holder_id: id }))
    held.add(value.target_id)
  const bucket = bucketOf(destination)
  const used = new Set([bucket, headersSecretOf(destination)])
  return [
    ...(bucket === undefined || held.has(bucket) ? [] : [`does not hold the bucket ${bucket}, which could be deleted`]),
    ...[...held].filter(target => !used.has(target)).map(target => `holds ${target}, which it does not use`),
  ]
}
