import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { onDisk } from './output-error.ts'
import { temporaryIn } from './temporary.ts'

/**
 * Replaces the text of a file atomically: a reader sees the old or the new text, even if the run is killed. Creates the
 * folder and keeps the file mode. A symbolic link stays, and its target changes. Throws `OutputError` if the system
 * refuses a step.
 */
export function replaceFile(path: string, text: string): void {
  onDisk('write', path, () => {
    makeFolder(dirname(path))
    const stats = lstatSync(path, { throwIfNoEntry: false })
    const target = stats?.isSymbolicLink() ? realpathSync(path) : path
    const mode = stats ? lstatSync(target).mode : undefined
    const temporary = temporaryIn(dirname(target))
    rmSync(temporary, { force: true })
    try {
      writeFileSync(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) })
      renameSync(temporary, target)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
}

/**
 * Creates a folder and its missing parents. The recursive form of Node.js never returns where the system refuses new
 * folders as absent ones, as it does below `/proc`.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another run may have created the folder in the meantime.
    if (!existsSync(path)) throw error
  }
}
