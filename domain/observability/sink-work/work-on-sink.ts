import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { logSinkCollection, type StoredLogSink } from '../sinks/log-sinks-store.ts'
import type { SinkSourceReader } from '../sinks/sink-lines.ts'
import { sinkExportCollection, type SinkBatch, type SinkExport } from '../sinks/sink-exports-store.ts'
import { activityLines } from './activity-lines.ts'
import { BatchLines, faultOfRules, SourceFailed } from './batch-lines.ts'
import { DestinationFailed } from './destination-failed.ts'
import { dueBatch, measure, unmeasured, type Measure } from './measure.ts'
import { objectName } from '../sinks/object-name.ts'
import { sendOtlp, sendWebhook } from './send-lines.ts'
import type { SinkParts } from './sink-parts.ts'
import { storeFailure, storeLook, storeSuccess, storeUnread } from './store-outcome.ts'
import { writeObject } from './write-object.ts'

/** The numbers that a look may pass without entries for the sink before the position is stored. */
const passedNumbers = 10_000

/** The measure of an export whose batch is not due yet, as this server knows it. */
export interface KnownMeasure {
  /** The version of the sink and the position of the export, to which the measure belongs. */
  readonly of: string
  readonly measured: Measure
}

/** An export with its sink, as a look has read them. */
interface ReadExport {
  readonly sink: StoredLogSink
  readonly row: SinkExport
  readonly source: SinkSourceReader
  readonly turn: Turn
}

/** The batches that are written one after the other before other exports get their turn. */
const mostBatches = 50

/**
 * Does the due work on an export: looks for entries, makes batches of them and writes the batches, until more entries
 * are collected or the destination fails. Returns its measure for the next look. A paused sink and a sink in a
 * workspace that is not active keep their places.
 */
export async function workOnExport(
  parts: SinkParts,
  turn: Turn,
  id: string,
  known: KnownMeasure | undefined,
): Promise<KnownMeasure | undefined> {
  for (let batches = 0; batches < mostBatches;) {
    const read = await readExport(parts, turn, id)
    if (read === undefined) return known
    const { batch } = read.row
    if (batch === undefined) {
      const left = await lookOrTell(parts, read, known)
      if (left === 'unread') return undefined
      if (left) return left
    } else {
      if (!read.sink.enabled || !(await write(parts, read, batch))) return undefined
      batches += 1
    }
  }
  return undefined
}

/** Reads an export with its sink; undefined if there is nothing to do now. */
async function readExport(
  { sinkLogs, store, taxonomy }: SinkParts,
  turn: Turn,
  id: string,
): Promise<ReadExport | undefined> {
  const row = (await store.get(sinkExportCollection, id))?.value
  const sink = row && (await store.get(logSinkCollection, row.sink_id))?.value
  if (!row || !sink?.sources.includes(row.source)) return undefined
  const { workspace_id } = sink
  if ((await taxonomy.effectiveState(store, workspaceScope(workspace_id)))?.state !== 'ACTIVE') return undefined
  const source: SinkSourceReader =
    row.source === 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'
      ? activityLines({ sinkLogs, store, signal: turn.signal }, workspace_id)
      : {
          last: () => sinkLogs.lastNumber(workspace_id),
          numberBefore: since => sinkLogs.numberBefore(workspace_id, since, turn.signal),
          read: read => sinkLogs.lines(workspace_id, read, turn.signal),
        }
  return { sink, row, source, turn }
}

/** Looks for entries as `look`. Returns `unread` if the rules of the sink make the read fail, which is then stored. */
async function lookOrTell(
  parts: SinkParts,
  read: ReadExport,
  known: KnownMeasure | undefined,
): Promise<KnownMeasure | 'unread' | undefined> {
  try {
    return await look(parts, read, known)
  } catch (error) {
    const fault = faultOfRules(error)
    if (fault === undefined) throw error
    await storeUnread(read.turn, read.row, parts.clock.now(), fault)
    return 'unread'
  }
}

/** Looks for entries; returns undefined once a batch is stored, and otherwise its measure. */
async function look(
  { clock }: SinkParts,
  { row, sink, source, turn }: ReadExport,
  known: KnownMeasure | undefined,
): Promise<KnownMeasure | undefined> {
  const last = await source.last()
  const begin = row.position ?? (await source.numberBefore(Date.parse(sink.start_time)))
  // The files may have been replaced by older ones, in which the numbers begin again at a lower one.
  const position = Math.min(begin, last)
  const of = `${sink.etag} ${position}`
  const before = known?.of === of ? known.measured : unmeasured(position)
  // A paused sink looks for the age of its oldest entry alone.
  const found = !sink.enabled && before.range !== undefined ? before : await measure(source, sink, before, last)
  const now = clock.now()
  const batch = sink.enabled ? dueBatch(sink, found, now) : undefined
  const oldestTime = found.range?.firstTime
  const isPassed = sink.enabled && found.range === undefined && found.position - position >= passedNumbers
  const next = isPassed ? found.position : position
  if (batch || oldestTime !== row.oldest_time || next !== row.position || row.attempts > 0) {
    const times = oldestTime !== undefined && { oldestTime }
    await storeLook(turn, row, now, { position: next, ...(batch && { batch }), ...times })
  }
  return batch ? undefined : { of: `${sink.etag} ${next}`, measured: found }
}

/** Writes a batch, and stores the outcome; returns whether the destination has taken the batch. */
async function write(parts: SinkParts, read: ReadExport, batch: SinkBatch): Promise<boolean> {
  const { clock, sinkCounts } = parts
  const { row, sink, source, turn } = read
  const { rules = sink } = batch
  const lines = new BatchLines(source, rules, batch, turn.signal)
  let rejected: number
  try {
    rejected = Math.min(await deliver(parts, read, batch, lines), lines.entries)
  } catch (error) {
    const failure = failureOf(error)
    sinkCounts.attempted('failed', 0)
    await storeFailure(turn, row, batch, clock.now(), failure)
    return false
  }
  await storeSuccess(turn, row, batch, clock.now(), { entries: lines.entries, rejected })
  sinkCounts.attempted('written', lines.entries - rejected)
  return true
}

/** Returns the failure that the owner of a sink is told; throws an error that is none. */
function failureOf(error: unknown): DestinationFailed {
  if (error instanceof DestinationFailed) return error
  if (!(error instanceof SourceFailed)) throw error
  const fault = faultOfRules(error.cause)
  if (fault === undefined) throw error.cause
  return new DestinationFailed(fault)
}

/** Hands a batch to the destination of a sink; returns the number of entries that the destination has rejected for ever. */
async function deliver(
  parts: SinkParts,
  { row, sink, turn }: ReadExport,
  batch: SinkBatch,
  lines: BatchLines,
): Promise<number> {
  const { bucket, otlp, webhook } = sink.destination
  if (bucket) {
    const object = objectName(sink, bucket.prefix, row.source, batch)
    const place = { workspace: sink.workspace_id, bucket: bucket.bucket_id, object }
    await writeObject(parts.functions.storage, place, lines)
    return 0
  }
  const text = await lines.all()
  if (text.length === 0) return 0
  const sent = { sink, source: row.source, batch, lines: text, signal: turn.signal }
  if (webhook) await sendWebhook(parts, webhook, sent)
  return otlp ? sendOtlp(parts, otlp, sent) : 0
}
