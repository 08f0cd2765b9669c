import { existsSync } from 'node:fs'
import type { AreaModule } from '../area.ts'
import { storeCollections, storeFile } from '../platform-store.ts'
import { openSnapshot, type SqliteSnapshot } from '../store/snapshot.ts'
import { inspectStore, type AreaFinding } from './inspect-store.ts'

/** What is to be checked, and where it is told. */
export interface Consultation {
  readonly dataDir: string
  readonly areas: readonly AreaModule[]
  /** Each finding as a line of JSON, and a last one with their number; else lines for people. */
  readonly isJson: boolean
  readonly print: (line: string) => void
}

/**
 * Checks the store of a data folder as of one moment, also while servers run on it; changes nothing. Answers the number
 * of findings. Throws when there is no store, or one that this version cannot read.
 */
export async function doctor({ areas, dataDir, isJson, print }: Consultation): Promise<number> {
  const file = storeFile(dataDir)
  if (!existsSync(file)) throw new Error(`there is no store: ${file} does not exist; "ninefold serve" makes it`)
  const snapshot = open(file, areas)
  try {
    let count = 0
    for await (const finding of inspectStore(snapshot, areas)) {
      count += 1
      print(isJson ? jsonOf(finding) : `${finding.resourceType} ${finding.id}: ${finding.message}`)
    }
    print(isJson ? JSON.stringify({ file, findings: count }) : `${file}: ${inWords(count)}`)
    return count
  } finally {
    snapshot.close()
  }
}

function open(file: string, areas: readonly AreaModule[]): SqliteSnapshot {
  try {
    return openSnapshot({ file, collections: storeCollections(areas) })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} cannot be checked: ${cause}; "ninefold serve" of this version brings a store up to date`, {
      cause: error,
    })
  }
}

const jsonOf = ({ area, id, message, resourceType }: AreaFinding): string =>
  JSON.stringify({ area, resource_type: resourceType, id, message })

const inWords = (count: number): string =>
  count === 0 ? 'nothing is wrong' : `${count} finding${count > 1 ? 's' : ''}`
