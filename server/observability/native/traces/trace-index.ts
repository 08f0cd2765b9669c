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

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'traces', traceSchema)
    this.#find = this.#database.prepare('SELECT number, start, first, last, service, root FROM traces WHERE trace = ?')
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

  /** Returns the services of root spans; null stands for the traces whose root span is missing. */
  services(): readonly (string | null)[] {
    const statement = this.#database.prepare('SELECT DISTINCT service FROM traces')
    return checked(this.file, () => rowsOf<[string | null]>(statement).map(([service]) => service))
  }

  /** Returns the numbers of the traces of a service. */
  numbersOf(service: string | null): readonly number[] {
    const statement = this.#database.prepare('SELECT number FROM traces WHERE service IS ?')
    return checked(this.file, () => rowsOf<[number]>(statement, service).map(([number]) => number))
  }

  /** Deletes the traces of a service that start before a time in microseconds; returns their numbers and days. */
  deleteBefore(service: string | null, start: number): readonly Pick<IndexedTrace, 'first' | 'last' | 'number'>[] {
    const gone = this.#database.prepare(
      'DELETE FROM traces WHERE service IS ? AND start < ? RETURNING number, first, last',
    )
    let rows: readonly [number, number, number][] = []
    this.#change(() => (rows = rowsOf<[number, number, number]>(gone, service, start)))
    return rows.map(([number, first, last]) => ({ number, first, last }))
  }

  close(): void {
    this.#database.close()
  }

  #change(change: () => void): void {
    checked(this.file, () => transact(this.#database, change))
  }
}
