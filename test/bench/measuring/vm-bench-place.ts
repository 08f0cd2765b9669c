import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorePlace } from '../../../server/platform-store.ts'

/** Undoes something at the end of a bench. */
export type Undo = () => void | Promise<void>

/** Runs a bench over an empty place, in PostgreSQL at `storeUrl` or otherwise in a new folder, and cleans up. */
export async function overPlace<R>(
  storeUrl: string | undefined,
  run: (place: StorePlace, later: (undo: Undo) => void) => Promise<R>,
): Promise<R> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-vms-'))
  const undo: Undo[] = [() => rmSync(dataDir, { recursive: true, force: true })]
  try {
    return await run({ dataDir, ...(storeUrl !== undefined && { storeUrl }) }, each => void undo.push(each))
  } finally {
    for (const each of undo.toReversed()) await each()
  }
}

/** The name of the store of a place. */
export const storeName = (storeUrl: string | undefined): string => (storeUrl === undefined ? 'SQLite' : 'PostgreSQL')
