import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { checked, openForReading, type FileKind } from '../files/telemetry-file.ts'

/** A file of telemetry that a thread reads by snapshots, because a commit may move content between two reads. */
export class FileSnapshot {
  readonly database: DatabaseSync
  readonly #file: string
  readonly #inode: bigint
  #isReading = false

  private constructor(file: string, inode: bigint, database: DatabaseSync) {
    this.#file = file
    this.#inode = inode
    this.database = database
  }

  /** Opens a file; undefined if there is no such file. Throws `FileFault`. */
  static open(file: string, kind: FileKind): FileSnapshot | undefined {
    const inode = inodeOf(file)
    const database = openForReading(file, kind)
    if (inode === undefined || database === undefined) return undefined
    return new FileSnapshot(file, inode, database)
  }

  /** Whether the file still has its name: a deleted file, or one that was made anew, must be opened again. */
  get isCurrent(): boolean {
    return inodeOf(this.#file) === this.#inode
  }

  /** Reads in the current snapshot, which begins with the first read. Throws `FileFault`. */
  read<T>(read: () => T): T {
    return checked(this.#file, () => {
      if (!this.#isReading) this.database.exec('BEGIN')
      this.#isReading = true
      return read()
    })
  }

  /** Ends the snapshot of the file; the next read gets the newest content. */
  end(): void {
    if (!this.#isReading) return
    this.#isReading = false
    this.database.exec('COMMIT')
  }

  close(): void {
    this.database.close()
  }
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}
