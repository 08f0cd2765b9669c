import type { Advisories } from '../../../domain/registry/scanning/advisories.ts'
import type { Log } from '../../log.ts'
import { OsvDatabase } from './osv-database.ts'

/** The parts of a server from which its advisories are made. */
export interface AdvisorySources {
  readonly atEnd: (end: () => Promise<void>) => void
  readonly dataDir: string
  readonly log: Log
}

/** Returns the advisories of a folder, the setting `registry.osv_dir`; without a folder there are none. */
export function registryAdvisories(folder: string | undefined, { atEnd, dataDir, log }: AdvisorySources): Advisories {
  if (folder === undefined) return { state: () => undefined, match: async () => [] }
  const database = new OsvDatabase({ folder, dataDir, log })
  atEnd(() => database.end())
  return database
}
