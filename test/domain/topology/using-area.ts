import type { Parts } from '../../../domain/ports/area-parts.ts'
import type { Transaction } from '../../../domain/ports/store.ts'
import type { CapacityNeed, Consumer, KnownZone, Topology } from '../../../domain/ports/topology.ts'
import { addReference, dropReferencesOf } from '../../../domain/resources/references.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { area, type AreaModule } from '../../../server/area.ts'
import { handwritten, type SampleArea } from '../../server/sample-area.ts'

/** The calls of an area that uses topology, as compute and storage do; each call runs in one transaction. */
export interface Using {
  /**
   * Records a reference to a zone; returns the zone. Throws ZONE_ABSENT, or ZONE_SHUT if the zone accepts no new work.
   */
  useZone(name: string): Promise<KnownZone>
  /** Records a reference to a multi-region; returns its regions. Throws MULTI_REGION_ABSENT. */
  useMultiRegion(name: string): Promise<readonly string[]>
  /** Returns true if a region with this name exists. */
  hasRegion(name: string): Promise<boolean>
  /** Deletes all references of the area. */
  release(): Promise<void>
  /** Runs functions of topology in one transaction; returns the result of `run`. */
  within<R>(run: (tx: Transaction, topology: Topology) => Promise<R>): Promise<R>
  /** Allocates capacity in a zone for the thing with the id `thing`; returns the outcome. */
  allocate(zone: string, need: CapacityNeed, thing: string): ReturnType<Topology['allocate']>
  resize(thing: string, need: CapacityNeed): ReturnType<Topology['resize']>
  reallocate(thing: string, need: CapacityNeed): ReturnType<Topology['reallocate']>
  /** Releases the capacity of a thing. */
  giveBack(thing: string): Promise<void>
}

/** Returns the consumer of capacity for a thing. */
export const consumerOf = (thing: string): Consumer => ({ type: 'using.things', id: thing })

const holder = { type: 'using.things', id: 'a-thing' }

const refused = (reason: string) => new ApiError({ reason, rpc: 'FAILED_PRECONDITION' }, reason)

/** Returns the area, and a function that returns its calls. The function throws before the area is mounted. */
export function usingArea(): { readonly module: AreaModule; readonly calls: () => Using } {
  let mounted: Parts<SampleArea, 'topology'> | undefined
  const module = area<SampleArea, readonly never[], 'topology'>({
    generated: handwritten({ name: 'using', base: 50_000_000 }),
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
