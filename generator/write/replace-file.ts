import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { onDisk } from './output-error.ts'
import { temporaryIn } from './temporary.ts'

/**
 * Gives a file a new text at once: a reader, or a run that is killed, sees the old or the new one. Makes its folder,
 * keeps its mode; a symbolic link stays, and what it leads to changes. Throws `OutputError`.
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
