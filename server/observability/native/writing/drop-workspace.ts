import { existsSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../../durable-files.ts'
import { systemCode } from '../../../store/sqlite/store-file.ts'
import { namesIn, SignalPlaces, type Signal } from '../files/places.ts'

/** The beginning of the names of folders that are being deleted. */
const beginning = (signal: Signal): string => `dropped-${signal}-`

/** Deletes a signal of a workspace: all of it is gone at the return, also after a loss of power. */
export function dropWorkspace(root: string, workspace: string, signal: Signal): void {
  const { folder, workspace: parent } = new SignalPlaces(root, workspace, signal)
  if (existsSync(folder)) {
    const gone = join(root, beginning(signal) + workspace)
    rmSync(gone, { recursive: true, force: true })
    renameSync(folder, gone)
    syncFolder(parent)
    syncFolder(root)
    rmSync(gone, { recursive: true, force: true })
  }
  removeEmpty(parent)
}

/** Deletes the folders of a signal that a killed process was deleting. */
export function removeDropped(root: string, signal: Signal): void {
  for (const name of namesIn(root))
    if (name.startsWith(beginning(signal))) rmSync(join(root, name), { recursive: true, force: true })
}

/** Deletes a folder unless other signals are in it. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error
  }
}
