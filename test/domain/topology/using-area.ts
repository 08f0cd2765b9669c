import type { Parts } from '../../../domain/ports/area-parts.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import type { CapacityNeed, Consumer, KnownZone, Topology } from '../../../domain/ports/topology.ts'
import { addReference, dropReferencesOf } from '../../../domain/resources/references.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import { handwritten, type SampleArea } from '../../server/sample-area.ts'

/** The calls of an area that uses topology, as compute and storage do: each is one transaction. */
export interface Using {
  /** Refers to a zone. Throws ZONE_ABSENT, and ZONE_SHUT where the zone takes no new work. */
  useZone(name: string): Promise<KnownZone>
  /** Refers to a multi-region. Throws MULTI_REGION_ABSENT. */
  useMultiRegion(name: string): Promise<readonly string[]>
  /** Returns whether there is a region of the name. */
  hasRegion(name: string): Promise<boolean>
  /** Gives all references back. */
  release(): Promise<void>
  /** Runs calls of topology in one transaction. */
  within<R>(run: (tx: Transaction, topology: Topology) => Promise<R>): Promise<R>
  /** Allocates capacity in a zone for a thing; a thing is named by its id. */
  allocate(zone: string, need: CapacityNeed, thing: string): ReturnType<Topology['allocate']>
  resize(thing: string, need: CapacityNeed): ReturnType<Topology['resize']>
  reallocate(thing: string, need: CapacityNeed): ReturnType<Topology['reallocate']>
  /** Gives back the capacity of a thing. */
  giveBack(thing: string): Promise<void>
}

/** A thing as a consumer of capacity. */
export const consumerOf = (thing: string): Consumer => ({ type: 'using.things', id: thing })

const holder = { type: 'using.things', id: 'a-thing' }

const refused = (reason: string) => new ApiError({ reason, rpc: 'FAILED_PRECONDITION' }, reason)

/** The area, and its calls once it is mounted. */
export function usingArea(): { readonly module: AreaModule; readonly calls: () => Using } {
  let mounted: Parts<SampleArea, 'topology'> | undefined
  const module = area<SampleArea, readonly never[], 'topology'>({
    generated: handwritten({ name: 'using', base: 5_000_000 }),
    needs: { required: ['topology'] },
    handlers(parts) {
      mounted = parts
      return []
    },
  })
  return {
    module,
    calls() {
      if (mounted) return callsOf(mounted)
      throw new Error('the area is not mounted yet')
    },
  }
}

const callsOf = ({ functions, store }: Parts<SampleArea, 'topology'>): Using => ({
  useZone: name =>
    store.tx(async tx => {
      const zone = await functions.topology.requireZone(tx, name)
      if (zone === undefined) throw refused('ZONE_ABSENT')
      if (!zone.isAvailable) throw refused('ZONE_SHUT')
      await addReference(tx, { type: 'topology.zones', id: zone.id }, holder)
      return zone
    }),
  useMultiRegion: name =>
    store.tx(async tx => {
      const found = await functions.topology.requireMultiRegion(tx, name)
      if (found === undefined) throw refused('MULTI_REGION_ABSENT')
      await addReference(tx, { type: 'topology.multiRegions', id: found.id }, holder)
      return found.regions
    }),
  hasRegion: name => store.tx(async tx => (await functions.topology.requireRegion(tx, name)) !== undefined),
  release: () => store.tx(tx => dropReferencesOf(tx, holder)),
  within: run => store.tx(tx => run(tx, functions.topology)),
  allocate: (zone, need, thing) => store.tx(tx => functions.topology.allocate(tx, zone, need, consumerOf(thing))),
  resize: (thing, need) => store.tx(tx => functions.topology.resize(tx, consumerOf(thing), need)),
  reallocate: (thing, need) => store.tx(tx => functions.topology.reallocate(tx, consumerOf(thing), need)),
  giveBack: thing => store.tx(tx => functions.topology.release(tx, consumerOf(thing))),
})
