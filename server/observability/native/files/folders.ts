import { mkdirSync } from 'node:fs'
import { syncFolder } from '../../../durable-files.ts'
import { systemCode } from '../../../store/sqlite/store-file.ts'
import type { SignalPlaces } from './places.ts'

/** The permissions of folders: for their owner only. */
const folderMode = 0o700

/** Makes the folders of a signal of a workspace, whose names are on the disk at the return. */
export function makeFolders(root: string, { folder, workspace }: SignalPlaces): void {
  for (const [path, parent] of [
    [root, undefined],
    [workspace, root],
    [folder, workspace],
  ] as const) {
    try {
      mkdirSync(path, { mode: folderMode })
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
    if (parent !== undefined) syncFolder(parent)
  }
}
