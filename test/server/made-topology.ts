import type { Topology } from '../../domain/ports/topology.ts'

/** Returns the functions of a topology that has these regions, and no zones, multi-regions or capacity. */
export const madeTopology = (...regions: readonly string[]): Topology => ({
  requireRegion: async (_tx, name) => (regions.includes(name) ? { id: `region-${name}`, name } : undefined),
  onlyRegion: async () => (regions.length === 1 ? regions[0] : undefined),
  requireMultiRegion: async () => undefined,
  requireZone: async () => undefined,
  requireLocation: async () => undefined,
  firstLocation: async () => undefined,
  allocate: async () => ({ kind: 'unavailable' }),
  resize: async () => ({ kind: 'unallocated' }),
  reallocate: async () => ({ kind: 'unallocated' }),
  driverOf: async () => undefined,
  release: async () => {},
})
