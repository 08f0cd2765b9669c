import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pendingRestore, restoredStore, stagedStore } from '../pending-restore.ts'
import { lockName } from '../data-folder.ts'
import type { AreaFinding } from './inspect-store.ts'

const partial = /^\..+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial(?:-journal)?$/

/**
 * The kinds of files that killed commands leave in a data folder: a test of the name, and the message of the finding.
 */
const kinds: readonly (readonly [isOne: (name: string, dataDir: string) => boolean, message: string])[] = [
  [
    (name, dataDir) => name.startsWith(basename(stagedStore(dataDir))),
    'is what a restore that was cut off has left; delete it, unless a restore is under way',
  ],
  [name => partial.test(name), 'is what a backup that was cut off has left; delete it, unless a backup is under way'],
  [
    name => name === `${lockName}-journal`,
    'is what a restore that was cut off has left beside the lock; it does no harm, and the next restore takes it away',
  ],
]

/**
 * Yields a finding for each file in a data folder that should not stay there: a pending restore, and leftovers of
 * killed commands.
 */
export function* leftovers(dataDir: string): Generator<AreaFinding, void, undefined> {
  if (!existsSync(dataDir)) return
  const finding = { area: 'ninefold', resourceType: 'ninefold.folder' }
  const stamp = pendingRestore(dataDir)
  if (stamp !== undefined) {
    const message =
      'is a restored store that is not in its place yet; the next start of a server puts it there, and the store that is checked here aside'
    yield { ...finding, id: restoredStore(dataDir, stamp), message }
  }
  for (const name of readdirSync(dataDir).toSorted()) {
    const message = kinds.find(([isOne]) => isOne(name, dataDir))?.[1]
    if (message !== undefined) yield { ...finding, id: join(dataDir, name), message }
  }
}
