import { runAlertQuery, runInstantQuery, runRangeQuery } from '../../../../domain/observability/promql/run-query.ts'
import type { SampleSource } from '../../../../domain/observability/promql/sample-source.ts'
import type { FileFault } from '../files/telemetry-file.ts'
import { MetricPlaces } from '../files/places.ts'
import type { ReadCall } from '../calls/messages.ts'
import { descriptorsOf } from './descriptors.ts'
import { FileSource } from './file-source.ts'
import { labelsOf } from './labels.ts'
import { WorkspaceReader } from './workspace-reader.ts'

/** The largest number of workspaces whose files and series a thread keeps. */
const mostWorkspaces = 20

/** The samples of a workspace without metrics. */
const noSource: SampleSource = { select: () => [] }

/** The parts of the calls of a thread. */
export interface QueryCallParts {
  readonly root: string
  /** Whether the call in progress is to end. */
  readonly isAborted: () => boolean
  /** Takes the faults of files of days, which are left out. */
  readonly report: (fault: FileFault) => void
}

/** The calls of a thread that reads metrics. */
export class QueryCalls {
  readonly #parts: QueryCallParts
  /** The workspaces that were read lately, the last one at the end. */
  readonly #readers = new Map<string, WorkspaceReader>()

  constructor(parts: QueryCallParts) {
    this.#parts = parts
  }

  /** Returns the result of a call. Throws errors of the area, and `FileFault` for an index that cannot be used. */
  run(call: ReadCall): unknown {
    const reader = this.#readerOf(call.workspace)
    try {
      reader?.refresh(call.retention)
      return this.#result(call, reader)
    } finally {
      reader?.endSnapshots()
    }
  }

  #result(call: ReadCall, reader: WorkspaceReader | undefined): unknown {
    const { isAborted } = this.#parts
    const source = reader === undefined ? noSource : new FileSource(reader, call.now)
    switch (call.kind) {
      case 'descriptors':
        return reader === undefined ? [] : descriptorsOf(reader, call.now)
      case 'labels':
        return labelsOf(reader, call)
      case 'query':
        return runInstantQuery(source, call.query, isAborted).data
      case 'range':
        return runRangeQuery(source, call.query, isAborted).data
      case 'alert':
        return runAlertQuery(source, call, isAborted)
    }
  }

  /** Returns the reader of a workspace; undefined if the workspace has no metrics. */
  #readerOf(workspace: string): WorkspaceReader | undefined {
    let reader = this.#readers.get(workspace)
    this.#readers.delete(workspace)
    if (reader?.isCurrent === false) {
      reader.close()
      reader = undefined
    }
    reader ??= WorkspaceReader.open(new MetricPlaces(this.#parts.root, workspace), this.#parts.report)
    if (reader === undefined) return undefined
    this.#readers.set(workspace, reader)
    const [oldest] = this.#readers
    if (oldest !== undefined && this.#readers.size > mostWorkspaces) {
      oldest[1].close()
      this.#readers.delete(oldest[0])
    }
    return reader
  }
}
