import { runAlertQuery, runInstantQuery, runRangeQuery } from '../../../../domain/observability/promql/run-query.ts'
import type { SampleSource } from '../../../../domain/observability/promql/sample-source.ts'
import { MetricPlaces } from '../files/places.ts'
import type { ReadCall } from '../calls/messages.ts'
import type { ReadParts } from '../calls/answer-calls.ts'
import { descriptorsOf } from './descriptors.ts'
import { FileSource } from './file-source.ts'
import { labelsOf } from './labels.ts'
import { RecentReaders } from './recent-readers.ts'
import { WorkspaceReader } from './workspace-reader.ts'

/** The samples of a workspace without metrics. */
const noSource: SampleSource = { select: () => [] }

/** The calls of a thread that reads metrics. */
export class QueryCalls {
  readonly #parts: ReadParts
  readonly #readers: RecentReaders<WorkspaceReader>

  constructor(parts: ReadParts) {
    this.#parts = parts
    this.#readers = new RecentReaders(workspace =>
      WorkspaceReader.open(new MetricPlaces(parts.root, workspace), parts.report),
    )
  }

  /** Returns the result of a call. Throws errors of the area, and `FileFault` for an index that cannot be used. */
  run(call: ReadCall): unknown {
    return this.#readers.use(call.workspace, reader => {
      reader?.refresh(call.retention)
      return this.#result(call, reader)
    })
  }

  #result(call: ReadCall, reader: WorkspaceReader | undefined): unknown {
    const { isAborted } = this.#parts
    const source = reader === undefined ? noSource : new FileSource(reader, call.now)
    switch (call.kind) {
      case 'descriptors':
        return reader === undefined ? [] : descriptorsOf(reader, call.now)
      case 'labels':
        return labelsOf(reader, call, isAborted)
      case 'query':
        return runInstantQuery(source, call.query, isAborted).data
      case 'range':
        return runRangeQuery(source, call.query, isAborted).data
      case 'alert':
        return runAlertQuery(source, call, isAborted)
    }
  }
}
