import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checked, giveBack, openForWriting, rowOf, rowsOf, transact } from '../files/telemetry-file.ts'
import { storedResource, storedSpan } from './stored-texts.ts'
import { idBytes, spanSchema } from './trace-tables.ts'

/** A span on its way to a file. */
export interface PendingSpan {
  /** The number of its trace in the index. */
  readonly trace: number
  readonly spanId: string
  /** The start in microseconds since 1970. */
  readonly start: number
  readonly isError: boolean
  readonly text: string
  /** The text of its resource. */
  readonly resource: string
}

/** The largest number of resources whose ids a file keeps in memory. */
const mostResources = 10_000

/** The file of the spans of a day, as the writer holds it. All calls throw `FileFault`. */
export class SpanFile {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #put: StatementSync
  readonly #delete: StatementSync
  readonly #findResource: StatementSync
  readonly #putResource: StatementSync
  readonly #resources = new Map<string, number>()

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'spans', spanSchema)
    const statement = (sql: string): StatementSync => this.#database.prepare(sql)
    this.#put = statement(
      'INSERT OR REPLACE INTO spans (trace, span, start, resource, error, text) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#delete = statement('DELETE FROM spans WHERE trace = ? AND span = ?')
    this.#findResource = statement('SELECT id FROM resources WHERE text = ?')
    this.#putResource = statement('INSERT INTO resources (text) VALUES (?)')
  }

  /** Writes spans, which are on the disk at the return; a span replaces the span with its ids. */
  append(spans: readonly PendingSpan[]): void {
    this.#change(() => {
      for (const { isError, resource: ofSpan, spanId, start, text, trace } of spans) {
        const [span, resource, error] = [idBytes(spanId), this.#resourceId(ofSpan), Number(isError)]
        this.#put.run(trace, span, start, resource, error, storedSpan({ trace, span, start, resource, error }, text))
      }
    })
  }

  /** Deletes spans that another file has now. */
  remove(spans: readonly Pick<PendingSpan, 'spanId' | 'trace'>[]): void {
    this.#change(() => {
      for (const { spanId, trace } of spans) this.#delete.run(trace, idBytes(spanId))
    })
  }

  /** Deletes the spans of traces. */
  removeTraces(traces: Iterable<number>): void {
    this.#change(() => {
      const gone = this.#database.prepare('DELETE FROM spans WHERE trace = ?')
      for (const trace of traces) gone.run(trace)
    })
  }

  /** Returns the bytes of the spans of each trace with a number greater than `after`, in the order of the numbers. */
  bytesOfTraces(after: number, limit: number): readonly (readonly [trace: number, bytes: number])[] {
    const sums = this.#database.prepare(
      'SELECT trace, sum(length(CAST(text AS BLOB))) FROM spans WHERE trace > ? GROUP BY trace ORDER BY trace LIMIT ?',
    )
    return checked(this.file, () => rowsOf<[number, number]>(sums, after, limit))
  }

  /** Gives some pages without content back to the file system; returns whether none is left. */
  shrink(): boolean {
    return checked(this.file, () => giveBack(this.#database))
  }

  /** Whether the file has no span. */
  isEmpty(): boolean {
    return checked(this.file, () => this.#database.prepare('SELECT 1 FROM spans LIMIT 1').get() === undefined)
  }

  close(): void {
    this.#database.close()
  }

  #resourceId(text: string): number {
    const known = this.#resources.get(text)
    if (known !== undefined) return known
    const stored = storedResource(text)
    const id = rowOf<[number]>(this.#findResource, stored)?.[0] ?? Number(this.#putResource.run(stored).lastInsertRowid)
    if (this.#resources.size === mostResources) this.#resources.clear()
    this.#resources.set(text, id)
    return id
  }

  #change(change: () => void): void {
    try {
      checked(this.file, () => transact(this.#database, change))
    } catch (error) {
      // A transaction that was rolled back has written no resources.
      this.#resources.clear()
      throw error
    }
  }
}
