import { createHash } from 'node:crypto'
import { constants, copyFileSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { OsvRecord } from '../../../domain/registry/scanning/osv/osv-record.ts'
import { parseRecord } from '../../../domain/registry/scanning/osv/parse-record.ts'
import { renameDurably, syncFile } from '../../durable-files.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { openAdvisoryFile, openWrittenFile } from './advisory-file.ts'
import { AdvisoryWriter, type ReadSource } from './advisory-writer.ts'
import { listSources, maxRecordBytes, readSource, type SourceFile } from './source-files.ts'

/** The folder of the operator, and the file that is made from it. */
export interface ImportPlace {
  readonly folder: string
  readonly file: string
}

/** A file of the operator that cannot be read, or has broken records. */
export interface SourceFault {
  readonly path: string
  readonly broken: number
  /** Why the file cannot be read, or what is wrong with its first broken record. */
  readonly fault: string
}

/** The result of an import. */
export interface ImportResult {
  /** The number of files that were read. */
  readonly read: number
  /** The number of records in all files. */
  readonly records: number
  readonly faults: readonly SourceFault[]
}

/**
 * Makes the file of advisories equal to the folder: reads the files that are new or have changed since the last import,
 * by size and time, and replaces the file at the end. Returns undefined if nothing has changed. Throws if the folder
 * cannot be read, and the file then stays as it was.
 */
export async function importFolder({ file, folder }: ImportPlace): Promise<ImportResult | undefined> {
  const sources = await listSources(folder)
  const current = openAdvisoryFile(file)
  const known = current === undefined ? new Map<string, ReadSource>() : readSources(current)
  current?.close()
  const changed = sources.filter(source => !isSame(known.get(source.path), source))
  const paths = new Set(sources.map(({ path }) => path))
  const gone = [...known.values()].filter(({ path }) => !paths.has(path))
  if (current !== undefined && changed.length === 0 && gone.length === 0) return undefined
  const written = `${file}.new`
  try {
    removeWritten(written)
    if (current !== undefined) copyFileSync(file, written, constants.COPYFILE_FICLONE)
    const result = await importSources(written, folder, { gone, changed })
    syncFile(written)
    renameDurably(written, file)
    return result
  } catch (error) {
    removeWritten(written)
    // The file holds nothing that the folder does not hold.
    if (isDamage(error)) rmSync(file, { force: true })
    throw error
  }
}

const removeWritten = (file: string): void => {
  for (const written of [file, `${file}-journal`]) rmSync(written, { force: true })
}

/** The files of a folder that an import must forget and read. */
interface Changes {
  readonly gone: readonly ReadSource[]
  readonly changed: readonly SourceFile[]
}

async function importSources(written: string, folder: string, { changed, gone }: Changes): Promise<ImportResult> {
  const database = openWrittenFile(written)
  try {
    const writer = new AdvisoryWriter(database)
    for (const { number } of gone) writer.remove(number)
    const faults = []
    for (const source of changed) faults.push(...(await importSource(writer, folder, source)))
    return { read: changed.length, records: writer.finish(), faults }
  } finally {
    database.close()
  }
}

function readSources(database: DatabaseSync): Map<string, ReadSource> {
  const rows = database.prepare('SELECT number, path, size, changed_ms FROM source').all()
  return new Map(
    rows.map(row => {
      const path = String(row['path'])
      const source = { path, number: Number(row['number']), size: Number(row['size']) }
      return [path, { ...source, changedMs: Number(row['changed_ms']) }]
    }),
  )
}

const isSame = (known: ReadSource | undefined, { changedMs, size }: SourceFile): boolean =>
  known !== undefined && known.size === size && known.changedMs === changedMs

/** Reads a file. A file without a sound record, such as one that is being written, counts as a file that cannot be read. */
async function importSource(writer: AdvisoryWriter, folder: string, source: SourceFile): Promise<SourceFault[]> {
  const { path } = source
  const number = writer.begin(source)
  const digest = createHash('sha256')
  let [sound, broken, fault] = [0, 0, '']
  try {
    for await (const text of readSource(folder, source)) {
      const record = readRecord(text)
      digest.update(JSON.stringify(text ?? ''))
      if (typeof record === 'string') {
        broken++
        if (fault === '') fault = record
        continue
      }
      writer.add(number, record)
      sound++
    }
  } catch (error) {
    if (systemCode(error) === 'ERR_SQLITE_ERROR') throw error
    fault = messageOf(error)
    sound = 0
  }
  writer.end(number, fault === '' || sound > 0 ? digest.digest('hex') : undefined)
  return fault === '' ? [] : [{ path, broken, fault }]
}

/** Returns a record, or what is wrong with a broken one. */
function readRecord(text: string | undefined): OsvRecord | string {
  if (text === undefined) return `the record has more than ${maxRecordBytes} bytes`
  try {
    return parseRecord(JSON.parse(text))
  } catch (error) {
    return messageOf(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether a file is no sound database: SQLITE_CORRUPT, SQLITE_NOTADB. */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (error.errcode === 11 || error.errcode === 26)
