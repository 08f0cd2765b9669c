import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checked, openForWriting, rowOf, rowsOf, transact } from '../files/telemetry-file.ts'
import { idBytes, traceSchema } from './trace-tables.ts'

/** A trace of the index. */
export interface IndexedTrace {
  readonly number: number
  /** The start of the earliest span in microseconds since 1970. */
  start: number
  /** The first and the last UTC day on which a span starts. */
  first: number
  last: number
  /** The service and the start of the earliest root span; null before it arrives. */
  service: string | null
  root: number | null
}

/** A trace as a purge sees it. */
export type StartedTrace = Omit<IndexedTrace, 'root'>

type Row = readonly [
  number: number,
  start: number,
  first: number,
  last: number,
  service: string | null,
  root: number | null,
]

/** The index of the traces of a workspace, as the writer holds it. All calls throw `FileFault`. */
export class TraceIndex {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #find: StatementSync
  readonly #put: StatementSync
  readonly #service: StatementSync

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'traces', traceSchema)
    this.#find = this.#database.prepare('SELECT number, start, first, last, service, root FROM traces WHERE trace = ?')
    this.#service = this.#database.prepare('SELECT service FROM traces WHERE number = ?')
    this.#put = this.#database.prepare(
      `INSERT INTO traces (number, trace, start, first, last, service, root) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (number) DO UPDATE SET start = excluded.start, first = excluded.first, last = excluded.last,
        service = excluded.service, root = excluded.root`,
    )
  }

  /** Returns the number after those that traces have had. */
  nextNumber(): number {
    return checked(this.file, () => {
      const used = this.#database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'traces'`)
      return (rowOf<[number]>(used)?.[0] ?? 0) + 1
    })
  }

  find(traceId: string): IndexedTrace | undefined {
    return checked(this.file, () => {
      const row = rowOf<Row>(this.#find, idBytes(traceId))
      if (row === undefined) return undefined
      const [number, start, first, last, service, root] = row
      return { number, start, first, last, service, root }
    })
  }

  /** Writes traces, which are on the disk at the return. */
  store(traces: ReadonlyMap<string, IndexedTrace>): void {
    this.#change(() => {
      for (const [traceId, { first, last, number, root, service, start }] of traces)
        this.#put.run(number, idBytes(traceId), start, first, last, service, root)
    })
  }

  /** The retention of the workspace as JSON; undefined before it is stored. */
  get retention(): string | undefined {
    const statement = this.#database.prepare(`SELECT value FROM about WHERE name = 'retention'`)
    return checked(this.file, () => rowOf<[string]>(statement)?.[0])
  }

  storeRetention(retention: string): void {
    if (retention === this.retention) return
    const put = this.#database.prepare(`INSERT OR REPLACE INTO about (name, value) VALUES ('retention', ?)`)
    this.#change(() => void put.run(retention))
  }

  /** Returns the traces that start before a time in microseconds, the earliest first, after one that was returned. */
  startedBefore(
    before: number,
    limit: number,
    after: Pick<StartedTrace, 'number' | 'start'> = { start: -Infinity, number: 0 },
  ): readonly StartedTrace[] {
    const statement = this.#database.prepare(
      `SELECT number, start, first, last, service FROM traces WHERE (start, number) > (?, ?) AND start < ?
        ORDER BY start, number LIMIT ?`,
    )
    return checked(this.file, () =>
      rowsOf<[number, number, number, number, string | null]>(statement, after.start, after.number, before, limit).map(
        ([number, start, first, last, service]) => ({ number, start, first, last, service }),
      ),
    )
  }

  /** Returns the service of the root span of a trace, null before the span arrives; undefined without the trace. */
  serviceOf(number: number): string | null | undefined {
    return checked(this.file, () => rowOf<[string | null]>(this.#service, number))?.[0]
  }

  /** Deletes the traces with some numbers. */
  delete(numbers: readonly number[]): void {
    const gone = this.#database.prepare('DELETE FROM traces WHERE number = ?')
    this.#change(() => {
      for (const number of numbers) gone.run(number)
    })
  }

  close(): void {
    this.#database.close()
  }

  #change(change: () => void): void {
    checked(this.file, () => transact(this.#database, change))
  }
}
