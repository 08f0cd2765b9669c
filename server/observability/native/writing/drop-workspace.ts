import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../../durable-files.ts'
import { namesIn } from '../files/places.ts'

/** The beginning of the names of folders that are being deleted. */
const beginning = 'dropped-'

/** Deletes the telemetry of a workspace: all of it is gone at the return, also after a loss of power. */
export function dropWorkspace(root: string, workspace: string): void {
  const folder = join(root, workspace)
  if (existsSync(folder)) {
    const gone = join(root, beginning + workspace)
    rmSync(gone, { recursive: true, force: true })
    renameSync(folder, gone)
    syncFolder(root)
    rmSync(gone, { recursive: true, force: true })
  }
}

/** Deletes the folders that a killed process was deleting. */
export function removeDropped(root: string): void {
  for (const name of namesIn(root))
    if (name.startsWith(beginning)) rmSync(join(root, name), { recursive: true, force: true })
}
