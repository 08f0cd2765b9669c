import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const temporaryName = /^\.ninefold-(\d+)\.tmp$/

/**
 * Returns the path of this process's temporary file in a folder. The caller renames the file to its target, so a folder
 * holds only one temporary file of a process at any time.
 */
export const temporaryIn = (folder: string): string => join(folder, `.ninefold-${process.pid}.tmp`)

/**
 * Deletes temporary files of ended processes in the root and in the folders of `paths`. The files of running processes
 * stay.
 */
export function sweepTemporaries(root: string, paths: readonly string[]): void {
  const folders = new Set(['.', ...paths.map(path => dirname(path))])
  for (const folder of folders) {
    for (const name of namesIn(join(root, folder))) {
      const pid = temporaryName.exec(name)?.[1]
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(root, folder, name), { force: true })
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
