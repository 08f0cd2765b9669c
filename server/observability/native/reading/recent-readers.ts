/** The largest number of workspaces whose files a thread keeps. */
const mostWorkspaces = 20

/** The reader of the files of a workspace. */
interface Reader {
  /** Whether the files still exist. */
  readonly isCurrent: boolean
  endSnapshots(): void
  close(): void
}

/** The readers of the workspaces that were read lately. */
export class RecentReaders<Of extends Reader> {
  readonly #open: (workspace: string) => Of | undefined
  /** The readers by workspaces, the last used one at the end. */
  readonly #readers = new Map<string, Of>()

  /** `open` returns the reader of a workspace, and undefined for one without files. */
  constructor(open: (workspace: string) => Of | undefined) {
    this.#open = open
  }

  /** Runs a call with the reader of a workspace, which the call refreshes; undefined for a workspace without files. */
  use<Result>(workspace: string, call: (reader: Of | undefined) => Result): Result {
    const reader = this.#readerOf(workspace)
    try {
      return call(reader)
    } finally {
      reader?.endSnapshots()
    }
  }

  #readerOf(workspace: string): Of | undefined {
    let reader = this.#readers.get(workspace)
    this.#readers.delete(workspace)
    if (reader?.isCurrent === false) {
      reader.close()
      reader = undefined
    }
    reader ??= this.#open(workspace)
    if (reader === undefined) return undefined
    this.#readers.set(workspace, reader)
    const [oldest] = this.#readers
    if (oldest !== undefined && this.#readers.size > mostWorkspaces) {
      oldest[1].close()
      this.#readers.delete(oldest[0])
    }
    return reader
  }
}
