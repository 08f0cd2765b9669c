import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { withoutCovered } from '../../../domain/registry/scanning/osv/affected-versions.ts'
import { packageKey } from '../../../domain/registry/scanning/osv/ecosystems.ts'
import type { OsvRecord } from '../../../domain/registry/scanning/osv/osv-record.ts'
import type { SourceFile } from './source-files.ts'

/** A file as it was read for the last time. */
export interface ReadSource extends SourceFile {
  readonly number: number
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

  /** Begins a file that is new or has changed; returns its number. */
  begin({ changedMs, path, size }: SourceFile): number {
    const row = this.#database
      .prepare(
        `INSERT INTO source (path, size, changed_ms, digest) VALUES (?, ?, ?, '')
        ON CONFLICT (path) DO UPDATE SET size = excluded.size, changed_ms = excluded.changed_ms RETURNING number`,
      )
      .get(path, size, changedMs)
    this.#database.exec('SAVEPOINT source')
    const number = Number(row?.['number'])
    this.#clear(number)
    return number
  }

  /** Ends a file with the digest of its texts. Without a digest, the file cannot be read, and its records of before stay. */
  end(source: number, digest: string | undefined): void {
    if (digest === undefined) this.#database.exec('ROLLBACK TO source')
    else this.#database.prepare('UPDATE source SET digest = ? WHERE number = ?').run(digest, source)
    this.#database.exec('RELEASE source')
  }

  /** Deletes a file and its records. */
  remove(source: number): void {
    this.#clear(source)
    this.#database.prepare('DELETE FROM source WHERE number = ?').run(source)
  }

  /** Adds a record of a file. */
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
    const content = createHash('sha256')
    for (const { digest, path } of this.#database.prepare('SELECT path, digest FROM source ORDER BY path').all()) {
      content.update(JSON.stringify([path, digest]))
    }
    this.#database.exec('DELETE FROM summary')
    const summary = this.#database
      .prepare(
        `INSERT INTO summary (records, newest_ms, ecosystems, content)
        SELECT count(*), coalesce(max(modified_ms), 0), (
          SELECT json_group_array(ecosystem ORDER BY ecosystem) FROM (SELECT DISTINCT ecosystem FROM affected)
        ), ?
        FROM record WHERE is_withdrawn = 0 RETURNING records`,
      )
      .get(content.digest('hex'))
    this.#database.exec('COMMIT')
    return Number(summary?.['records'])
  }

  #clear(source: number): void {
    const records = 'SELECT number FROM record WHERE source = ?'
    this.#database.prepare(`DELETE FROM affected WHERE record IN (${records})`).run(source)
    this.#database.prepare('DELETE FROM record WHERE source = ?').run(source)
  }
}
