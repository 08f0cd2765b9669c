import { existsSync } from 'node:fs'
import type { AreaModule } from '../area.ts'
import { pendingRestore, restoredStore } from '../pending-restore.ts'
import { checkDataFolder } from '../data-folder.ts'
import { openStoreSnapshot, placeName, storeFile } from '../platform-store.ts'
import { NewerStore } from '../store/format.ts'
import { explained } from '../store/sqlite/store-file.ts'
import type { StoreSnapshot } from '../store/snapshot.ts'
import { leftovers } from './leftovers.ts'
import { hostsOf, inspectStore, type AreaFinding, type HostsByArea, type InspectedPlace } from './inspect-store.ts'

/** The store to check, and the output. */
export interface Consultation {
  readonly place: InspectedPlace
  readonly areas: readonly AreaModule[]
  /** Whether each finding is a line of JSON, with a last line for their number; otherwise the lines are for people. */
  readonly isJson: boolean
  readonly print: (line: string) => void
}

/**
 * Checks a store at one moment, also while servers run on the store. Changes nothing, and leaves no file in the folder.
 * Prints the findings and returns their number. Throws if there is no store, or if this version cannot read the store.
 */
export async function doctor(consultation: Consultation): Promise<number> {
  const { dataDir, storeUrl } = consultation.place
  if (storeUrl === undefined) {
    checkDataFolder(dataDir)
    checkIsInPlace(dataDir)
  }
  const name = placeName(consultation.place)
  try {
    return await checked(consultation, name)
  } catch (error) {
    throw storeUrl === undefined ? explained(name, error) : await unreadable(name, error)
  }
}

/** Throws if an interrupted restore has moved the old store away, and the restored store is not in its place yet. */
function checkIsInPlace(dataDir: string): void {
  const stamp = pendingRestore(dataDir)
  if (stamp === undefined || existsSync(storeFile(dataDir))) return
  const file = restoredStore(dataDir, stamp)
  throw new Error(`${file} is a restored store that is not in its place yet; "ninefold serve" puts it there`)
}

async function unreadable(name: string, error: unknown): Promise<Error> {
  const { databaseFault, explainedDatabase } = await import('../store/postgres/database-fault.ts')
  if (error instanceof NewerStore || databaseFault(error) !== undefined) return explainedDatabase(name, error)
  const cause = error instanceof Error ? error.message : String(error)
  return new Error(`${name} cannot be checked: ${cause}; "ninefold serve" of this version brings a store up to date`, {
    cause: error,
  })
}

async function checked({ areas, isJson, place, print }: Consultation, name: string): Promise<number> {
  const hosts = hostsOf(areas, place)
  const snapshot = await openStoreSnapshot(place, areas)
  try {
    let count = 0
    for await (const finding of findingsOf(snapshot, areas, place, hosts)) {
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

async function* findingsOf(
  snapshot: StoreSnapshot,
  areas: readonly AreaModule[],
  { dataDir, storeUrl }: InspectedPlace,
  hosts: HostsByArea,
): AsyncGenerator<AreaFinding, void, undefined> {
  if (storeUrl === undefined) yield* leftovers(dataDir)
  yield* inspectStore(snapshot, areas, hosts)
}

const jsonOf = ({ area, id, message, resourceType }: AreaFinding): string =>
  JSON.stringify({ area, resource_type: resourceType, id, message })

const inWords = (count: number): string =>
  count === 0 ? 'nothing is wrong' : `${count} finding${count > 1 ? 's' : ''}`
