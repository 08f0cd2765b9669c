import type { Topology } from '../ports/topology.ts'
import { bootstrapNames, bootstraps } from './bootstrap.ts'
import { poolKind } from './pools/pool-kind.ts'
import { poolCollection } from './pools/pools-store.ts'
import { locationCollection } from './sites/locations-store.ts'
import { isEnabled } from './sites/states.ts'
import { targetCollection } from './sites/targets-store.ts'

/** The functions of topology for locations. */
export const locationFunctions: Pick<Topology, 'requireLocation' | 'firstLocation'> = {
  async requireLocation(tx, name, resourcePool) {
    const found = await tx.find(locationCollection, { name })
    const location = found && (await tx.share(locationCollection, found.id))?.value
    if (!location || !isEnabled(location.state)) return undefined
    const { region = '' } = location
    const poolId = resourcePool === undefined ? undefined : await poolKind.idNamed(tx, resourcePool)
    const pool = poolId === undefined ? undefined : (await tx.share(poolCollection, poolId))?.value
    const target = pool && (await tx.find(targetCollection, { name: pool.deployment_target }))?.value
    return { region, ...(pool && target?.location === name && { resourcePoolId: pool.id }) }
  },
  async firstLocation(reader) {
    const { location: name } = bootstrapNames
    const made = await reader.get(bootstraps, 'bootstrap')
    const location = made && (await reader.find(locationCollection, { name }))?.value
    // The bootstrap gives its rows the time of its own row.
    const isFirst = location?.create_time === made?.value.create_time
    return location && isFirst && isEnabled(location.state) ? location.name : undefined
  },
}
