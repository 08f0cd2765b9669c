import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { checked, openForWriting, rowOf, rowsOf, transact } from '../../files/telemetry-file.ts'
import { logIndexSchema } from './log-tables.ts'

/** The facts about a workspace that the index keeps. */
type Fact = 'generation' | 'last_number' | 'retention'

/** The index of the log streams of a workspace, as the writer holds it. All calls throw `FileFault`. */
export class StreamIndex {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #insert: StatementSync

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'logIndex', logIndexSchema)
    this.#insert = this.#database.prepare('INSERT INTO streams (id, labels) VALUES (?, ?)')
  }

  /** Returns the id after those that streams have had. */
  nextId(): number {
    return checked(this.file, () => {
      const used = this.#database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'streams'`)
      return (rowOf<[number]>(used)?.[0] ?? 0) + 1
    })
  }

  /** Returns the ids of all streams, keyed by the labels as `labelKey` returns them. */
  streams(): Map<string, number> {
    return checked(this.file, () => {
      const rows = rowsOf<[string, number]>(this.#database.prepare('SELECT labels, id FROM streams'))
      return new Map(rows)
    })
  }

  /** Adds streams, which are on the disk at the return. */
  add(streams: Iterable<readonly [key: string, id: number]>): void {
    this.#change(() => {
      for (const [key, id] of streams) this.#insert.run(id, key)
    })
  }

  /** Deletes streams, and counts a new generation of the index. */
  delete(ids: Iterable<number>): void {
    this.#change(() => {
      const gone = this.#database.prepare('DELETE FROM streams WHERE id = ?')
      for (const id of ids) gone.run(id)
      this.#put('generation', String(Number(this.#about('generation') ?? 0) + 1))
    })
  }

  /** The last ingest number that was noted; 0 before the first note. */
  get lastNumber(): number {
    return checked(this.file, () => Number(this.#about('last_number') ?? 0))
  }

  /** Stores facts that differ from the stored ones. */
  note(facts: Partial<Record<Fact, string>>): void {
    const changed = Object.entries(facts).filter(
      ([name, value]) => checked(this.file, () => this.#about(name)) !== value,
    )
    if (changed.length === 0) return
    this.#change(() => {
      for (const [name, value] of changed) this.#put(name, value)
    })
  }

  close(): void {
    this.#database.close()
  }

  #about(name: string): string | undefined {
    return rowOf<[string]>(this.#database.prepare('SELECT value FROM about WHERE name = ?'), name)?.[0]
  }

  #put(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO about (name, value) VALUES (?, ?)').run(name, value)
  }

  #change(change: () => void): void {
    checked(this.file, () => transact(this.#database, change))
  }
}
