import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Transaction } from '../../ports/store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { StoredRepository } from './repositories-store.ts'

type Wanted = Pick<StoredRepository, 'region' | 'multi_region'>

/**
 * Returns the region of a new repository: the named region, or else the only region of the platform. Throws
 * FIELD_INVALID for a region that does not exist, for no region if there are several, and for a multi-region, because
 * the blob store of this platform lies at one place.
 */
export async function regionOf(
  { functions: { topology } }: Pick<RegistryEnvironment, 'functions'>,
  tx: Transaction,
  { multi_region, region }: Wanted,
): Promise<string> {
  if (multi_region !== '')
    throw fault('multi_region', 'cannot be chosen, because the blob store of this platform lies at one place')
  // Without an area of topology, the regions are not known.
  if (!topology) return region
  if (region === '') {
    const only = await topology.onlyRegion(tx)
    if (only === undefined) throw fault('region', 'is required: the platform has not exactly one region')
    return only
  }
  if (!(await topology.requireRegion(tx, region))) throw fault('region', `no region is called ${region}`)
  return region
}

const fault = (field: string, description: string) => fieldInvalid([{ field, description }])
