import type { StatementSync } from 'node:sqlite'
import type { SpanResource, TraceSpan } from '../../../../domain/observability/traces/span.ts'
import { checked, FileFault, iterateRows, rowOf } from '../files/telemetry-file.ts'
import { FileSnapshot } from '../reading/file-snapshot.ts'
import { resourceOfRow, spanOfRow } from './stored-texts.ts'
import { idBytes } from './trace-tables.ts'

type Row = readonly [span: Uint8Array, start: number, resource: number, error: number, text: string]

/** The file of the spans of a day, as a thread of queries reads it. All calls throw `FileFault`. */
export class SpanReader {
  readonly #file: string
  readonly #snapshot: FileSnapshot
  readonly #spans: StatementSync
  readonly #counts: StatementSync
  readonly #resource: StatementSync
  readonly #resources = new Map<number, SpanResource>()

  private constructor(file: string, snapshot: FileSnapshot) {
    const { database } = snapshot
    this.#file = file
    this.#snapshot = snapshot
    this.#spans = database.prepare(
      'SELECT span, start, resource, error, text FROM spans WHERE trace = ? ORDER BY start LIMIT ?',
    )
    this.#counts = database.prepare('SELECT count(*), ifnull(sum(error), 0) FROM spans WHERE trace = ?')
    this.#resource = database.prepare('SELECT text FROM resources WHERE id = ?')
  }

  /** Opens a file; undefined if there is no such file. */
  static open(file: string): SpanReader | undefined {
    const snapshot = FileSnapshot.open(file, 'spans')
    return snapshot && checked(file, () => new SpanReader(file, snapshot))
  }

  /** Whether the file still has its name: a deleted file, or one that was made anew, must be opened again. */
  get isCurrent(): boolean {
    return this.#snapshot.isCurrent
  }

  /** Iterates over the spans of the trace with a number, the earliest start first, up to `limit`. */
  *spans(trace: number, traceId: string, limit: number): Generator<TraceSpan, undefined> {
    for (const [span, start, resource, error, text] of iterateRows<Row>(this.#file, this.#spans, trace, limit)) {
      const key = { trace, span, start, resource, error }
      yield checked(this.#file, () => spanOfRow(key, text, traceId, this.#resourceOf(resource)))
    }
  }

  /** Returns the numbers of the spans and of the errors of a trace. */
  counts(trace: number): readonly [spans: number, errors: number] {
    return checked(this.#file, () => rowOf<[number, number]>(this.#counts, trace) ?? [0, 0])
  }

  /** Whether a trace has a span. */
  has(trace: number, spanId: string): boolean {
    const statement = this.#snapshot.database.prepare('SELECT 1 FROM spans WHERE trace = ? AND span = ?')
    return checked(this.#file, () => statement.get(trace, idBytes(spanId)) !== undefined)
  }

  close(): void {
    this.#snapshot.close()
  }

  #resourceOf(id: number): SpanResource {
    const known = this.#resources.get(id)
    if (known !== undefined) return known
    const [text] = rowOf<[string]>(this.#resource, id) ?? []
    if (text === undefined) throw new FileFault(this.#file, `has spans of a resource ${id}, which is missing`)
    const resource = resourceOfRow(id, text)
    this.#resources.set(id, resource)
    return resource
  }
}
