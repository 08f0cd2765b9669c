import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { withoutCovered } from '../../../domain/registry/scanning/osv/affected-versions.ts'
import { packageKey } from '../../../domain/registry/scanning/osv/ecosystems.ts'
import type { OsvRecord } from '../../../domain/registry/scanning/osv/osv-record.ts'
import type { SourceFile } from './source-files.ts'

/** A file as it was read for the last time. */
export interface ReadSource extends SourceFile {
  readonly number: number
}

/** The result of reading a file: the numbers of its sound and broken records, and why the file cannot be read, if so. */
export interface SourceResult {
  readonly records: number
  readonly broken: number
  readonly fault: string
}

/** Writes records into a file of advisories, in one transaction from the creation to `finish`. */
export class AdvisoryWriter {
  readonly #database: DatabaseSync
  readonly #record: StatementSync
  readonly #affected: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec('BEGIN')
    this.#record = database.prepare(
      'INSERT INTO record (source, id, modified_ms, is_withdrawn, advisory) VALUES (?, ?, ?, ?, ?)',
    )
    this.#affected = database.prepare(
      'INSERT INTO affected (ecosystem, name, record, place, affected) VALUES (?, ?, ?, ?, ?)',
    )
  }

  /** Returns the number of a file, which is new or has changed; keeps its records. */
  begin({ changedMs, path, size }: SourceFile): number {
    const row = this.#database
      .prepare(
        `INSERT INTO source (path, size, changed_ms, records, broken, fault) VALUES (?, ?, ?, 0, 0, '')
        ON CONFLICT (path) DO UPDATE SET size = excluded.size, changed_ms = excluded.changed_ms RETURNING number`,
      )
      .get(path, size, changedMs)
    this.#database.exec('SAVEPOINT source')
    return Number(row?.['number'])
  }

  /** Ends a file. Of a file that cannot be read, the records of before stay. */
  end(source: number, { broken, fault, records }: SourceResult): void {
    if (fault !== '') this.#database.exec('ROLLBACK TO source')
    this.#database.exec('RELEASE source')
    const counts = fault === '' ? ', records = ?, broken = ?' : ''
    const values = fault === '' ? [records, broken] : []
    this.#database.prepare(`UPDATE source SET fault = ?${counts} WHERE number = ?`).run(fault, ...values, source)
  }

  /** Deletes the records of a file. */
  clear(source: number): void {
    this.#database
      .prepare('DELETE FROM affected WHERE record IN (SELECT number FROM record WHERE source = ?)')
      .run(source)
    this.#database.prepare('DELETE FROM record WHERE source = ?').run(source)
  }

  /** Deletes a file and its records. */
  remove(source: number): void {
    this.clear(source)
    this.#database.prepare('DELETE FROM source WHERE number = ?').run(source)
  }

  add(source: number, record: OsvRecord): void {
    const { affected, aliases, id, isWithdrawn, modifiedMs, references, scores, summary, upstream } = record
    const advisory = JSON.stringify({ id, aliases, upstream, summary, references, scores })
    const { lastInsertRowid: number } = this.#record.run(source, id, modifiedMs, Number(isWithdrawn), advisory)
    if (isWithdrawn) return
    for (const [place, { ecosystem, name, ...parts }] of affected.entries()) {
      const key = packageKey(ecosystem, name)
      const { ranges, versions } = withoutCovered(parts, ecosystem)
      if (ranges.length === 0 && versions.length === 0) continue
      const stored = JSON.stringify({ ranges, versions, scores: parts.scores })
      this.#affected.run(key.ecosystem, key.name, number, place, stored)
    }
  }

  /** Writes the summary, and commits. Returns the number of records that are not withdrawn. */
  finish(): number {
    this.#database.exec(`
      DELETE FROM summary;
      INSERT INTO summary (records, newest_ms, ecosystems)
        SELECT count(*), coalesce(max(modified_ms), 0),
          (SELECT coalesce(group_concat(ecosystem, ',' ORDER BY ecosystem), '') FROM (SELECT DISTINCT ecosystem FROM affected))
        FROM record WHERE is_withdrawn = 0;
      COMMIT`)
    return Number(this.#database.prepare('SELECT records FROM summary').get()?.['records'])
  }
}
