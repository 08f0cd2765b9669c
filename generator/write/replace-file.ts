import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
    mkdirSync(dirname(path), { recursive: true })
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
