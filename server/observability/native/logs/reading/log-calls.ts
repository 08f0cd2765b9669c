import { EntryFilter } from '../../../../../domain/observability/logql/entry-filter.ts'
import type { EntrySource } from '../../../../../domain/observability/logql/entry-source.ts'
import { runLogAlertQuery, runLogQuery } from '../../../../../domain/observability/logql/run-query.ts'
import type { TailPage } from '../../../../../domain/observability/logs/log-engine.ts'
import { chosenLines } from '../../../../../domain/observability/sinks/sink-lines.ts'
import { SignalPlaces } from '../../files/places.ts'
import { RecentReaders } from '../../reading/recent-readers.ts'
import type { ReadParts } from '../../calls/answer-calls.ts'
import type { LogReadCall } from '../log-messages.ts'
import { BlockSource } from './block-source.ts'
import { LogReader } from './log-reader.ts'
import { sinkLines } from './sink-lines.ts'
import { streamsOf } from './streams-of.ts'
import { numberBefore, tailEntries } from './tail-entries.ts'

/** The entries of a workspace without logs. */
const noSource: EntrySource = { select: () => [] }

/** The calls of a thread that reads logs. */
export class LogCalls {
  readonly #parts: ReadParts
  readonly #readers: RecentReaders<LogReader>

  constructor(parts: ReadParts) {
    this.#parts = parts
    this.#readers = new RecentReaders(workspace =>
      LogReader.open(new SignalPlaces(parts.root, workspace, 'logs'), parts.report),
    )
  }

  /** Returns the result of a call. Throws errors of the area, and `FileFault` for an index that cannot be used. */
  run(call: LogReadCall): unknown {
    return this.#readers.use(call.workspace, reader => {
      reader?.refresh(call.retention)
      return this.#result(call, reader)
    })
  }

  #result(call: LogReadCall, reader: LogReader | undefined): unknown {
    const { isAborted } = this.#parts
    const source = reader ? new BlockSource(reader, call.now) : noSource
    switch (call.kind) {
      case 'query':
        return runLogQuery(source, call.query, isAborted)
      case 'alert':
        return runLogAlertQuery(source, call, isAborted)
      case 'streams':
        return reader === undefined ? [] : streamsOf(reader, call, isAborted)
      case 'start':
        return reader && numberBefore(reader, call.since)
      case 'lines':
        return sinkLines(reader, call.read, call.now)
      case 'chosen':
        return chosenLines(call.given, call.read)
      case 'tail': {
        const filter = new EntryFilter(call.read.query)
        const { after, last } = call.read
        const none: TailPage = { entries: [], position: last, skipped: last - after }
        return reader ? tailEntries(reader, call.read, filter, call.now) : none
      }
    }
  }
}
