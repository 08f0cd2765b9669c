import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CvssScore } from '../../../output/registry/types.ts'
import type { AdvisoryState } from '../../../domain/registry/scanning/advisories.ts'
import type { PackageKey } from '../../../domain/registry/scanning/osv/ecosystems.ts'
import type { Advisory } from '../../../domain/registry/scanning/osv/findings.ts'
import type { OsvAffected } from '../../../domain/registry/scanning/osv/osv-record.ts'
import { openAdvisoryFile } from './advisory-file.ts'

/** A package in a record. */
export interface AffectedRow {
  readonly record: number
  /** The place of the package in the record. */
  readonly place: number
  readonly affected: Pick<OsvAffected, 'ranges' | 'versions' | 'scores'>
}

/** The number of rows that are read at once, so that a package with thousands of advisories does not hold the event loop. */
const pageSize = 100

/** The newest of the records with an id counts. */
const isNewest = `NOT EXISTS (
  SELECT 1 FROM record AS other WHERE other.id = record.id
    AND (other.modified_ms, other.number) > (record.modified_ms, record.number))`

/** Reads a file of advisories. */
export class AdvisoryReader {
  /** The advisories in the file; undefined if it has none. */
  readonly state: AdvisoryState | undefined
  readonly #database: DatabaseSync
  readonly #affecting: StatementSync
  readonly #advisory: StatementSync
  readonly #byId: StatementSync
  readonly #ecosystems: ReadonlySet<string>
  #users = 0
  #isRetired = false

  private constructor(database: DatabaseSync) {
    this.#database = database
    this.#affecting = database.prepare(`
      SELECT record, place, affected FROM affected
      WHERE ecosystem = ? AND name = ? AND (record, place) > (?, ?) ORDER BY record, place LIMIT ${pageSize}`)
    this.#advisory = database.prepare(`SELECT advisory FROM record WHERE number = ? AND ${isNewest}`)
    this.#byId = database.prepare(`SELECT advisory FROM record WHERE id = ? AND is_withdrawn = 0 AND ${isNewest}`)
    const summary = database.prepare('SELECT records, newest_ms, ecosystems, content FROM summary').get()
    const ecosystems: readonly string[] = JSON.parse(String(summary?.['ecosystems'] ?? '[]'))
    this.#ecosystems = new Set(ecosystems)
    if (summary === undefined || summary['records'] === 0) return
    const { content, newest_ms: newest } = summary
    this.state = { version: ecosystems.join(','), timeMs: Number(newest), content: String(content) }
  }

  /** Returns the reader of a file; undefined if there is none, or one that must be made again. */
  static open(file: string): AdvisoryReader | undefined {
    const database = openAdvisoryFile(file)
    try {
      return database && new AdvisoryReader(database)
    } catch {
      // A damaged file is found by the import too, which makes it again.
      database?.close()
      return undefined
    }
  }

  /** Runs work that reads the file, which stays open until the work has ended. */
  async use<R>(work: () => Promise<R>): Promise<R> {
    this.#users++
    try {
      return await work()
    } finally {
      this.#users--
      this.#closeUnused()
    }
  }

  /** Closes the file once no work reads it. */
  retire(): void {
    this.#isRetired = true
    this.#closeUnused()
  }

  /** Yields pages of the rows about a package. Other work may run between two pages. */
  *affecting({ ecosystem, name }: PackageKey): Generator<readonly AffectedRow[], undefined> {
    if (!this.#ecosystems.has(ecosystem)) return undefined
    let [record, place] = [0, -1]
    for (;;) {
      const rows = this.#affecting.all(ecosystem, name, record, place).map(row => ({
        record: Number(row['record']),
        place: Number(row['place']),
        affected: JSON.parse(String(row['affected'])),
      }))
      yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return undefined
      ;({ record, place } = last)
    }
  }

  /** Returns the advisory of a row; undefined if a newer record with its id counts. */
  advisory(record: number): Advisory | undefined {
    const text = this.#advisory.get(record)?.['advisory']
    return typeof text === 'string' ? JSON.parse(text) : undefined
  }

  /** Returns the scores of the advisories with these ids, as far as the file has them. */
  scoresOf(ids: readonly string[]): readonly CvssScore[] {
    const found = ids.map(id => this.#byId.get(id)?.['advisory']).filter(text => typeof text === 'string')
    return found.flatMap((text): CvssScore[] => JSON.parse(text).scores)
  }

  #closeUnused(): void {
    if (this.#isRetired && this.#users === 0 && this.#database.isOpen) this.#database.close()
  }
}
