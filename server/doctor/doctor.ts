import type { AreaModule } from '../area.ts'
import { checkDataFolder } from '../data-folder.ts'
import { openStoreSnapshot, placeName, type StorePlace } from '../platform-store.ts'
import { explained } from '../store/sqlite/store-file.ts'
import { inspectStore, type AreaFinding } from './inspect-store.ts'

/** What is to be checked, and where it is told. */
export interface Consultation {
  readonly place: StorePlace
  readonly areas: readonly AreaModule[]
  /** Each finding as a line of JSON, and a last one with their number; else lines for people. */
  readonly isJson: boolean
  readonly print: (line: string) => void
}

/**
 * Checks a store as of one moment, also while servers run on it; changes nothing, and leaves nothing in its folder.
 * Answers the number of findings. Throws when there is no store, or one that this version cannot read.
 */
export async function doctor(consultation: Consultation): Promise<number> {
  const { dataDir, storeUrl } = consultation.place
  if (storeUrl === undefined) checkDataFolder(dataDir)
  const name = placeName(consultation.place)
  try {
    return await checked(consultation, name)
  } catch (error) {
    throw storeUrl === undefined ? explained(name, error) : unreadable(name, error)
  }
}

function unreadable(name: string, error: unknown): Error {
  const cause = error instanceof Error ? error.message : String(error)
  return new Error(`${name} cannot be checked: ${cause}; "ninefold serve" of this version brings a store up to date`, {
    cause: error,
  })
}

async function checked({ areas, isJson, place, print }: Consultation, name: string): Promise<number> {
  const snapshot = await openStoreSnapshot(place, areas)
  try {
    let count = 0
    for await (const finding of inspectStore(snapshot, areas)) {
      count += 1
      print(isJson ? jsonOf(finding) : `${finding.resourceType} ${finding.id}: ${finding.message}`)
    }
    snapshot.verify()
    const summary = { [place.storeUrl === undefined ? 'file' : 'database']: name, findings: count }
    print(isJson ? JSON.stringify(summary) : `${name}: ${inWords(count)}`)
    return count
  } finally {
    await snapshot.close()
  }
}

const jsonOf = ({ area, id, message, resourceType }: AreaFinding): string =>
  JSON.stringify({ area, resource_type: resourceType, id, message })

const inWords = (count: number): string =>
  count === 0 ? 'nothing is wrong' : `${count} finding${count > 1 ? 's' : ''}`
