import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const temporaryName = /^\.ninefold-(\d+)\.tmp$/

/** The file of this process that becomes another by rename; one at a time in a folder. */
export const temporaryIn = (folder: string): string => join(folder, `.ninefold-${process.pid}.tmp`)

/** Deletes the temporaries that killed runs left in the root and beside `paths`; those of running processes stay. */
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
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
