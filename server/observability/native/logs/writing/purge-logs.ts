import type { RetainedBytes, TelemetryRetention } from '../../../../../domain/observability/telemetry-retention.ts'
import { dayMs } from '../../files/places.ts'
import { FileFault } from '../../files/telemetry-file.ts'
import { labelsOfKey } from '../../../../../domain/observability/metrics/label-key.ts'
import { SeriesRetention } from '../../retention/series-retention.ts'
import { bytesIn } from '../../writing/purge-workspace.ts'
import type { BlockRow, LogDayFile } from '../files/log-day-file.ts'
import { BlockBuilder, type BlockEntry } from '../format/block-builder.ts'
import { isOfDamagedBlock } from '../format/malformed-block.ts'
import { entryAt } from './log-compaction.ts'
import type { LogWriter } from './log-writer.ts'
import { streamChanges } from './parts.ts'
import type { WorkspaceLogs } from './workspace-logs.ts'

/** The end of a purge of a workspace without logs. */
const nothing = ({ selected }: TelemetryRetention): RetainedBytes => ({ total: 0, selected: selected.map(() => 0) })

/**
 * Deletes the entries of the days that lie wholly before the retention of their streams, a block at a step, and the
 * streams without entries. Stores the retention, beyond which reads show nothing from now on. Between the steps, new
 * entries may be written.
 */
export function* purgeLogs(
  writer: LogWriter,
  workspace: string,
  given: TelemetryRetention,
  now: number,
  report: (fault: FileFault) => void,
): Generator<undefined, RetainedBytes, undefined> {
  const retention = new SeriesRetention(given)
  const begun = writer.settled(workspace, now)
  if (begun === undefined) return nothing(given)
  begun.index.note({ retention: JSON.stringify(given), last_number: String(begun.lastNumber) })
  const { places } = begun
  const release = writer.holdForPurge(workspace)
  try {
    const policies = new Map([...begun.streams()].map(([key, id]) => [id, retention.policyOf(labelsOfKey(key))]))
    const selected = given.selected.map(() => 0)
    for (const day of places.days()) {
      const ageMs = now - (day + 1) * dayMs
      const isOver = (stream: number): boolean => ageMs > retention.ofPolicy(policies.get(stream) ?? -1)
      // The files may have been closed, or opened anew, since the last step.
      const logs = (): WorkspaceLogs | undefined => writer.settled(workspace, now)
      try {
        if (ageMs > retention.longestMs) logs()?.days.remove(day)
        else {
          if (ageMs > retention.shortestMs) yield* purgeDay(() => logs()?.days.open(day), isOver, report)
          addBytes(selected, logs()?.days.open(day), policies)
        }
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        report(error)
      }
      yield
    }
    end(writer.settled(workspace, now), report)
    return { total: bytesIn(places.folder), selected }
  } finally {
    release()
  }
}

/** Deletes the streams without entries, and notes the last ingest number, which a deleted file may have had. */
function end(logs: WorkspaceLogs | undefined, report: (fault: FileFault) => void): void {
  if (logs === undefined) return
  logs.index.note({ last_number: String(logs.lastNumber) })
  try {
    logs.deleteEmptyStreams()
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    report(error)
  }
}

/** Deletes the entries of streams from a day, a block at a step. A damaged block is reported, and stays with its day. */
function* purgeDay(
  opened: () => LogDayFile | undefined,
  isOver: (stream: number) => boolean,
  report: (fault: FileFault) => void,
): Generator<undefined, void, undefined> {
  for (const row of opened()?.rows() ?? []) {
    if (!row.runs.streams.some(isOver)) continue
    const file = opened()
    try {
      if (file) reduce(file, row, isOver)
    } catch (error) {
      if (!isOfDamagedBlock(error)) throw error
      report(error)
    }
    yield
  }
  opened()?.shrink()
}

function reduce(file: LogDayFile, row: BlockRow, isOver: (stream: number) => boolean): void {
  const block = file.block(row.id)
  const left = new BlockBuilder()
  const gone: BlockEntry[] = []
  let index = 0
  for (const [run, end] of row.runs.ends.entries()) {
    const stream = row.runs.streams[run] ?? 0
    const isGone = isOver(stream)
    for (; index < end; index += 1) {
      const entry = entryAt(block, index, stream)
      if (isGone) gone.push(entry)
      else left.add(entry)
    }
  }
  file.reduce(row, left.length === 0 ? undefined : left.build('lasting'), streamChanges(gone))
}

/** Adds the bytes of the entries of a file to the sums of the policies that select their streams. */
function addBytes(sums: number[], file: LogDayFile | undefined, policies: ReadonlyMap<number, number>): void {
  if (sums.length === 0) return
  for (const { runs, storedBytes } of file?.rows() ?? []) {
    let start = 0
    for (const [run, end] of runs.ends.entries()) {
      const policy = policies.get(runs.streams[run] ?? 0) ?? -1
      const share = (storedBytes * (end - start)) / (runs.ends.at(-1) ?? 1)
      if (policy >= 0) sums[policy] = (sums[policy] ?? 0) + Math.round(share)
      start = end
    }
  }
}
