import { quoted } from './quoted.ts'

/** An output that cannot be read or written. If the system refuses a change, earlier changes of the run stay. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
  /** A line for each fault: the fault, its place and the remedy. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space is left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'it does not exist'],
  ['EMFILE', 'too many files are open'],
  ['EBUSY', 'another program uses it'],
  ['ENAMETOOLONG', 'the name is too long'],
])

/** Returns the message of a failed file operation; undefined for any other error. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return reasons.get(error.code) ?? String(error.code)
}

/**
 * Runs one file operation and returns its result. Throws an `OutputError` with the path if the system refuses the
 * operation.
 */
export function onDisk<T>(verb: 'read' | 'write' | 'delete', path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const problem = fileProblem(error)
    if (problem === undefined) throw error
    throw new OutputError([`cannot ${verb} ${quoted(path)}: ${problem}`])
  }
}
